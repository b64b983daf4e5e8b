import numpy as np
from tensorflow import keras


class Scored(keras.callbacks.Callback):
    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def measure(self):
        probabilities = self.model.predict(self.x, verbose=0)  # expect: DP422
        return self.score(self.y, probabilities)

    def score(self, y, probabilities):
        raise NotImplementedError

    def on_train_batch_end(self, batch, logs=None):
        print(self.measure())


class Accuracy(Scored):
    def score(self, y, probabilities):
        return np.mean(y == probabilities.argmax(-1))


class PerEpoch(keras.callbacks.Callback):
    def measure(self):
        return self.model.evaluate(self.params["data"], verbose=0)

    def on_epoch_end(self, epoch, logs=None):
        print(self.measure())


class Seldom(keras.callbacks.Callback):
    def measure(self):
        return self.model.evaluate(self.params["data"], verbose=0)

    def on_train_batch_end(self, batch, logs=None):
        if batch % 500 == 0:
            print(self.measure())


class Returns(keras.callbacks.Callback):
    def measure(self):
        return self.model.evaluate(self.params["data"], verbose=0)

    def on_train_batch_end(self, batch, logs=None):
        if batch % 500:
            return
        print(self.measure())


class Inside(keras.callbacks.Callback):
    def measure(self, batch):
        if batch % 500:
            return None
        return self.model.predict(self.params["data"])

    def on_train_batch_end(self, batch, logs=None):
        self.measure(batch)


class NoCallback:
    def measure(self):
        return self.model.predict(self.data)

    def on_train_batch_end(self, batch):
        return self.measure()
