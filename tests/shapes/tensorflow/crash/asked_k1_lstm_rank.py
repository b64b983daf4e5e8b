# ValueError: Error when checking model input: expected lstm_1_input to have 3 dimensions, but got array with shape (100, 50)
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense

X = np.random.rand(100, 50)  # fixed: X = np.random.rand(100, 50, 1)
y = np.random.rand(100)
model = Sequential()
model.add(LSTM(32, input_shape=(50, 1)))
model.add(Dense(1))
model.compile(loss='mse', optimizer='rmsprop')
model.fit(X, y, nb_epoch=10, batch_size=10)  # expect: DP613
