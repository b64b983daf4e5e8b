import tensorflow as tf
from tensorflow.keras import layers


def head(width, classes):
    return tf.keras.Sequential([layers.Dense(width, activation="relu"), layers.Dense(classes)])


def flat():
    return layers.Flatten()


class Classifier(tf.keras.Model):
    def __init__(self, width, classes):
        super().__init__()
        self.width, self.classes = width, classes
        self.stem = layers.Conv2D(32, 3, activation="relu")
        self.top = head(width, classes)

    def _classify(self, features):
        return head(self.width, self.classes)(features)  # expect: DP248

    def _keep(self, features):
        return self.top(features)

    def call(self, x):
        features = flat()(self.stem(x))
        return self._classify(features) + self._keep(features)
