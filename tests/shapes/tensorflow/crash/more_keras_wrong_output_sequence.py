# keras: shapes (None, 10) and (None, 3) are incompatible
import numpy as np
from keras.models import Sequential
from keras.layers import LSTM, Dense, TimeDistributed

x = np.random.random((100, 10, 4))
y = np.random.random((100, 10, 1))
model = Sequential()
model.add(LSTM(16, input_shape=(10, 4)))  # fixed: model.add(LSTM(16, input_shape=(10, 4), return_sequences=True))
model.add(Dense(3))  # fixed: model.add(Dense(1))
model.compile(loss='categorical_crossentropy', optimizer='adam')
model.fit(x, y)  # expect: DP605
