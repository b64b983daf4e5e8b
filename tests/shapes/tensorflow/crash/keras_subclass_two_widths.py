# keras: ValueError: Input 0 of layer dense is incompatible with the layer: expected axis -1 of input shape to have value 16 but received input with shape (8, 20)
import tensorflow as tf


class Siamese(tf.keras.Model):
    def __init__(self, units):
        super().__init__()
        self.encoder = tf.keras.layers.Dense(units, activation="relu")
        self.head = tf.keras.layers.Dense(1)

    def call(self, inputs):
        left, right = inputs
        a = self.encoder(left)
        b = self.encoder(right)  # expect: DP601
        return self.head(tf.abs(a - b))


model = Siamese(32)
out = model((tf.random.normal((8, 16)), tf.random.normal((8, 20))))  # fixed: out = model((tf.random.normal((8, 16)), tf.random.normal((8, 16))))
