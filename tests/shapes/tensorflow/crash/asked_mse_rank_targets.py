# InvalidArgumentError: Incompatible shapes: [32,24,4] vs. [32,4]
import numpy as np
from tensorflow import keras

x = np.random.randn(320, 24, 6)
y = np.random.randn(320, 4)
inputs = keras.Input((24, 6))
h = keras.layers.GRU(32, return_sequences=True)(inputs)  # fixed: h = keras.layers.GRU(32)(inputs)
outputs = keras.layers.Dense(4)(h)
model = keras.Model(inputs, outputs)
model.compile(optimizer='adam', loss='mse')
model.fit(x, y)  # expect: DP605
