# Reshape of Keras and reshape of NumPy.
import numpy as np
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Dense, Reshape

generator = Sequential()
generator.add(Dense(7 * 7 * 64, input_dim=100))
generator.add(Reshape((7, 7, 128)))  # expect: DP603

right = Sequential([Dense(7 * 7 * 64, input_dim=100), Reshape((7, 7, -1))])

pixels = np.arange(784)
picture = pixels.reshape(28, 28)
picture = pixels.reshape(28, 32)  # expect: DP603
