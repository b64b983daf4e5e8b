# ValueError: Input 0 is incompatible with layer lstm_1: expected ndim=3, found ndim=4
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense

trainX = np.random.rand(94, 1, 3)
trainY = np.random.rand(94)
model = Sequential()
model.add(LSTM(4, input_shape=(trainX.shape[0], trainX.shape[1], trainX.shape[2])))  # expect: DP604 # fixed: model.add(LSTM(4, input_shape=(trainX.shape[1], trainX.shape[2])))
model.add(Dense(1))
model.compile(loss='mean_squared_error', optimizer='adam')
model.fit(trainX, trainY, epochs=100, batch_size=1, verbose=2)
