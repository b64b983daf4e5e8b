# keras: ValueError: Input 0 of layer dense is incompatible with the layer: expected axis -1 of input shape to have value 10 but received input with shape (None, 12)
import numpy as np
import tensorflow as tf


class Trainer:
    def __init__(self, n_features, n_classes):
        self.n_features = n_features
        self.model = self.build_model(n_classes)

    def build_model(self, n_classes):
        model = tf.keras.Sequential()
        model.add(tf.keras.layers.InputLayer(input_shape=(self.n_features,)))
        model.add(tf.keras.layers.Dense(32, activation="relu"))
        model.add(tf.keras.layers.Dense(n_classes, activation="softmax"))
        model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
        return model

    def train(self, x, y):
        self.model.fit(x, y, epochs=3)  # expect: DP613


def main():
    x = np.random.rand(100, 12)
    y = np.random.randint(0, 3, 100)
    trainer = Trainer(10, 3)  # fixed: trainer = Trainer(12, 3)
    trainer.train(x, y)


if __name__ == "__main__":
    main()
