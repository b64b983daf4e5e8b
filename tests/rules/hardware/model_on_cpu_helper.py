import tensorflow as tf


def placement(name):
    return tf.device(name)


def build(width):
    return tf.keras.Sequential([tf.keras.Input((64,)), tf.keras.layers.Dense(width), tf.keras.layers.Dense(10)])


class Slow:
    DEVICE = "/CPU:0"

    def run(self, train):
        model = build(64)
        model.compile(optimizer="adam", loss="mse")
        with placement(self.DEVICE):  # expect: DP505
            model.fit(train, epochs=10)


class Fast:
    DEVICE = "/GPU:0"

    def run(self, train):
        model = build(64)
        model.compile(optimizer="adam", loss="mse")
        with placement(self.DEVICE):
            model.fit(train, epochs=10)
