# TypeError: Keyword argument not understood: ('input_dimension', 10)
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential
m = Sequential()
m.add(Dense(4, input_shape=(10,)))
m.add(Dense(2))
m.compile(loss='mse', optimizer='adam')
import numpy as np
m.fit(np.zeros((8, 10)), np.zeros((8, 3)))  # expect: DP605 # fixed: m.fit(np.zeros((8, 10)), np.zeros((8, 2)))
