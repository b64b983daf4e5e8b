import random

import numpy as np
import torch
from torch.utils.data import TensorDataset
from tensorflow import keras


def fitted(model: keras.Model, x, y):
    np.random.shuffle(x)
    np.random.shuffle(y)  # expect: DP857
    model.fit(x, y)


def zipped(names, labels):
    random.shuffle(names)
    random.shuffle(labels)  # expect: DP857
    for name, label in zip(names, labels):
        print(name, label)


def parts(folds):
    x = np.concatenate([f[0] for f in folds])
    y = np.concatenate([f[1] for f in folds])
    np.random.shuffle(x)
    np.random.shuffle(y)  # expect: DP857
    return x, y


def generator(x, y, seed):
    rng = np.random.default_rng(seed)
    rng.shuffle(x)
    rng.shuffle(y)  # expect: DP857
    return TensorDataset(x, y)


def seeded(model: keras.Model, x, y):
    np.random.seed(0)
    np.random.shuffle(x)
    np.random.seed(0)
    np.random.shuffle(y)
    model.fit(x, y)


def unrelated(train_files, test_files):
    random.shuffle(train_files)
    random.shuffle(test_files)
    return train_files, test_files


def twice(x, y):
    random.shuffle(x)
    random.shuffle(x)
    return list(zip(x, y))


def one_order(x, y):
    order = np.random.permutation(len(x))
    return zip(x[order], y[order])


def selected(labels, weights):
    positives = [i for i in range(len(labels)) if labels[i] == 1]
    negatives = [i for i in range(len(labels)) if labels[i] == 0]
    np.random.shuffle(positives)
    np.random.shuffle(negatives)
    return list(zip(positives, negatives))
