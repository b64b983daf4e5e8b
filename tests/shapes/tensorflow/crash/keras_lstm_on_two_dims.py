# keras: ValueError: Input 0 of layer lstm is incompatible with the layer: expected ndim=3, found ndim=2. Full shape received: (None, 10)
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense

data = np.random.rand(300, 10)
target = np.random.rand(300, 1)
#+ data = data.reshape(300, 10, 1)
model = Sequential()
model.add(LSTM(50, input_shape=(10,)))  # expect: DP604  # fixed: model.add(LSTM(50, input_shape=(10, 1)))
model.add(Dense(1))
model.compile(loss='mse', optimizer='adam')
model.fit(data, target, epochs=10, batch_size=16)
