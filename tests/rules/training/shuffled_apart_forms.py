import numpy as np
from tensorflow import keras


def shuffled(x, y):
    np.random.shuffle(x)
    np.random.shuffle(y)  # expect: DP857
    return x, y


def train(model: keras.Model, x, y):
    x, y = shuffled(x, y)
    model.fit(x, y)


class Batches(keras.utils.Sequence):
    def __init__(self, x, y, size):
        self.x, self.y, self.size = x, y, size

    def __len__(self):
        return len(self.x) // self.size

    def __getitem__(self, i):
        rows = slice(i * self.size, (i + 1) * self.size)
        return self.x[rows], self.y[rows]

    def on_epoch_end(self):
        np.random.shuffle(self.x)
        np.random.shuffle(self.y)  # expect: DP857


def permuted(model: keras.Model, x, y):
    rng = np.random.default_rng(0)
    x = x[rng.permutation(len(x))]
    y = y[rng.permutation(len(y))]  # expect: DP857
    model.fit(x, y)


# Two things that do not belong together.
class Pairs:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def __getitem__(self, i):
        return self.left[i], self.right[np.random.randint(len(self.right))]

    def on_epoch_end(self):
        np.random.shuffle(self.left)
        np.random.shuffle(self.right)


def one_order(model: keras.Model, x, y):
    order = np.random.permutation(len(x))
    x = x[order]
    y = y[order]
    model.fit(x, y)


def not_paired(a, b):
    np.random.shuffle(a)
    np.random.shuffle(b)
    return a, b


def user(a, b):
    a, b = not_paired(a, b)
    return len(a) + len(b)
