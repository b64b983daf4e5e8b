# tensorflow: categorical_crossentropy takes one-hot labels, but gets labels [100, 10, 1] and an output of [100, 1]
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense

x = np.random.rand(100, 10, 5)
y = np.random.rand(100, 10, 1)
model = Sequential()
model.add(LSTM(32, input_shape=(10, 5)))  # fixed: model.add(LSTM(32, input_shape=(10, 5), return_sequences=True))
model.add(Dense(1, activation='softmax'))  # fixed: model.add(Dense(1))
model.compile(loss='categorical_crossentropy', optimizer='adam')  # fixed: model.compile(loss='mse', optimizer='adam')
model.fit(x, y)  # expect: DP605
