import numpy as np
from tensorflow import keras


class Score(keras.callbacks.Callback):
    def __init__(self, x, y):
        super().__init__()
        self.x, self.y = x, y

    def on_train_batch_end(self, batch, logs=None):
        print(np.mean(np.argmax(self.model.predict(self.x), 1) == self.y))  # expect: DP422
        if batch % 100 == 0:
            print(self.model.evaluate(self.x, self.y))

    def on_epoch_end(self, epoch, logs=None):
        print(self.model.evaluate(self.x, self.y))


class Other:
    def on_train_batch_end(self, batch):
        self.model.predict(self.x)
