# keras: call() misses 1 required positional argument: mask_in
import tensorflow as tf


class Encoder(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.dense = tf.keras.layers.Dense(units)

    def call(self, x, mask_in):
        return self.dense(x) * mask_in


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder(8)

    def call(self, x):
        return self.encoder(x)  # expect: DP610  # fixed: return self.encoder(x, 1.0)


Net()(tf.zeros((2, 4)))
