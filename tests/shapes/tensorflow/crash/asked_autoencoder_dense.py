# ValueError: Dimensions must be equal, but are 784 and 512
import tensorflow as tf
from tensorflow.keras.layers import Dense, Input, Flatten, Reshape
from tensorflow.keras.models import Model

(x, _), _ = tf.keras.datasets.mnist.load_data()
x = x.reshape(-1, 784) / 255.0
inp = Input(shape=(784,))
h = Dense(64, activation='relu')(inp)
out = Dense(512, activation='sigmoid')(h)  # fixed: out = Dense(784, activation='sigmoid')(h)
ae = Model(inp, out)
ae.compile('adam', loss='mse')
ae.fit(x, x, epochs=1)  # expect: DP605
