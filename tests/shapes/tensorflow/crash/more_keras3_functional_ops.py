# keras: the inner dimensions must be equal, but are 64 and 32
import keras
from keras import layers, ops

x = keras.Input((16, 32))
q = layers.Dense(64)(x)
k = layers.Dense(32)(x)
s = ops.matmul(q, ops.transpose(k, (0, 2, 1)))  # expect: DP602  # fixed: s = ops.matmul(layers.Dense(32)(q), ops.transpose(k, (0, 2, 1)))
m = keras.Model(x, ops.softmax(s))
