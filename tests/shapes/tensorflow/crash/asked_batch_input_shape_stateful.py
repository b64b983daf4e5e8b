# ValueError: expected shape (32, 10, 1), but got (16, 10, 1): the batch size is part of the model
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense

batch_size = 32
X = np.zeros((320, 10, 2))  # fixed: X = np.zeros((320, 10, 1))
Y = np.zeros((320, 1))
model = Sequential()
model.add(LSTM(20, batch_input_shape=(batch_size, 10, 1), stateful=True))
model.add(Dense(1))
model.compile(loss='mean_squared_error', optimizer='adam')
for i in range(10):
    model.fit(X, Y, epochs=1, batch_size=batch_size, verbose=0, shuffle=False)  # expect: DP613 or DP601
    model.reset_states()
