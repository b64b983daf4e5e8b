import tensorflow as tf
from tensorflow.keras import layers, mixed_precision


def stacked(*layers_):
    def apply(x):
        for layer in layers_:
            x = layer(x)
        return x

    return apply


def build(base):
    head = stacked(
        layers.GlobalAveragePooling2D(),
        layers.Dropout(0.2),
        layers.Dense(10, activation="softmax"),  # expect: DP503
    )
    return tf.keras.Model(base.input, head(base.output))


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.pool = layers.GlobalAveragePooling2D()
        self.gate = layers.Dense(64, activation="sigmoid")
        self.head = layers.Dense(10, activation="softmax")  # expect: DP503

    def call(self, x):
        x = self.pool(x)
        return self.head(x * self.gate(x))


def several():
    inputs = tf.keras.Input((32,))
    x = layers.Dense(64, activation="relu")(inputs)
    kind = layers.Dense(3, activation="softmax")(x)  # expect: DP503
    size = layers.Dense(1, dtype="float32")(x)
    return tf.keras.Model(inputs, [kind, size])


def in_list():
    parts = [layers.Flatten(), layers.Dense(1, activation="sigmoid")]  # expect: DP503
    return tf.keras.Sequential(parts)


def fine():
    parts = [layers.Dense(10), layers.Activation("softmax", dtype="float32")]
    widths = [layers.Dense(8, activation="sigmoid"), 3]
    return tf.keras.Sequential(parts), widths


mixed_precision.set_global_policy("mixed_float16")
