# tensorflow: the model takes 2 inputs, but gets 1
import numpy as np
import tensorflow as tf
from tensorflow.keras import Input, Model, layers

a = Input(shape=(32,))
b = Input(shape=(16,))
x = layers.concatenate([layers.Dense(8)(a), layers.Dense(8)(b)])
out = layers.Dense(1)(x)
model = Model([a, b], out)
model.compile(optimizer='adam', loss='mse')
xa = np.random.rand(100, 32)
xb = np.random.rand(100, 16)
y = np.random.rand(100, 1)
model.fit(xa, y, epochs=2, batch_size=10)  # expect: DP613  # fixed: model.fit([xa, xb], y, epochs=2, batch_size=10)
