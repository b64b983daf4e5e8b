import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Gate(layers.Layer):
    def __init__(self, ratio):
        super().__init__()
        self.ratio = ratio

    def call(self, x):
        squeezed = tf.reduce_mean(x, axis=[1, 2])
        squeezed = layers.Dense(4, activation="relu")(squeezed)  # expect: DP248
        gate = layers.Dense(64, activation="sigmoid")  # expect: DP248
        return x * gate(squeezed)[:, None, None]


class Normalized(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = keras.layers.Conv2D(8, 3)

    def call(self, inputs, training=None):
        x = self.conv(inputs)
        x = keras.layers.BatchNormalization()(x, training=training)  # expect: DP248
        return self._head(keras.layers.ReLU()(x))

    def _head(self, x):
        return keras.layers.Dense(10)(keras.layers.Flatten()(x))  # expect: DP248


class Recurrent(layers.Layer):
    def call(self, x):
        return layers.Bidirectional(layers.LSTM(8))(x)  # expect: DP248


class Embedded(layers.Layer):
    def call(self, tokens):
        table = layers.Embedding(100, 8)  # expect: DP248
        return table(tokens)


class Built(layers.Layer):
    def build(self, shape):
        self.dense = layers.Dense(shape[-1])

    def call(self, x):
        return self.dense(x)


class Lazy(layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = None

    def call(self, x):
        if self.dense is None:
            self.dense = layers.Dense(4)
        return self.dense(x)


class Plain(layers.Layer):
    def call(self, x):
        x = layers.ReLU()(x)
        return layers.Flatten()(x)


class Functional(keras.Model):
    def __init__(self, size):
        inputs = keras.Input((size,))
        outputs = layers.Dense(3)(self._trunk(inputs))
        super().__init__(inputs, outputs)

    def _trunk(self, x):
        return layers.Dense(16, activation="relu")(x)


class Kept(layers.Layer):
    def call(self, x):
        dense = layers.Dense(4)
        self.last = dense
        return dense(x)


def block(x, width):
    x = layers.Dense(width)(x)  # hint: DP238
    return layers.BatchNormalization()(x)
