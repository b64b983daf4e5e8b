# tensorflow: the model takes [N, 15, 2], but gets [500, 30]
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense

data = np.random.rand(500, 30)
targets = np.random.rand(500, 1)
#+ data = data.reshape((500, 15, 2))

model = Sequential()
model.add(LSTM(50, input_shape=(15, 2)))
model.add(Dense(1))
model.compile(loss='mean_squared_error', optimizer='adam')
model.fit(data, targets, epochs=10, batch_size=1, verbose=2)  # expect: DP613
