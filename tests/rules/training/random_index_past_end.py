import random

import numpy as np
import torch
from torch.utils.data import Dataset


class Pairs(Dataset):
    def __init__(self, images, texts):
        self.images = images
        self.texts = texts

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        other = random.randint(0, len(self.images))  # expect: DP994
        text = self.texts[random.randint(0, len(self.texts))]  # expect: DP994
        return self.images[index], self.images[other], text

    def retried(self, index):
        try:
            return torch.load(self.images[index], weights_only=True)
        except OSError:
            index = random.randint(0, self.__len__())  # expect: DP994
            return torch.load(self.images[index], weights_only=True)

    def another(self):
        index = random.randint(0, len(self))  # expect: DP994
        return self.images[index]


def right(xs, ys):
    a = xs[random.randint(0, len(xs) - 1)]
    b = xs[random.randrange(len(xs))]
    c = xs[np.random.randint(0, len(xs))]
    end = random.randint(0, len(xs))
    d = xs[:end]
    other = random.randint(0, len(xs))
    return a, b, c, d, ys[other]


def bound_again(xs):
    index = random.randint(0, len(xs))
    index = min(index, len(xs) - 1)
    return xs[index]
