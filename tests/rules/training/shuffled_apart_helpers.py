"""A function that shuffles what it is given."""
import numpy as np
import torch


def shuffled(values, rng):
    return values[rng.permutation(len(values))]


class Arrays:
    def __init__(self, x, y, seed):
        rng = np.random.default_rng(seed)
        self.x = shuffled(x, rng)
        self.y = shuffled(y, rng)  # expect: DP857

    def batches(self, size):
        for i in range(0, len(self.x), size):
            yield torch.from_numpy(self.x[i : i + size]), torch.from_numpy(self.y[i : i + size])


class Negatives:
    def __init__(self, x, y, seed):
        rng = np.random.default_rng(seed)
        self.first = shuffled(x, rng)
        self.second = shuffled(x, rng)
        self.y = y

    def batches(self, size):
        for i in range(0, len(self.y), size):
            yield self.first[i : i + size], self.second[i : i + size], self.y[i : i + size]
