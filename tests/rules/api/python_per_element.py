import math

import numpy as np
import torch


def gelu(x):
    return 0.5 * x * (1 + math.tanh(0.8 * x))


def softmax(row):
    exponents = np.exp(row - row.max())
    return exponents / exponents.sum()


def name_of(label):
    return LABELS.get(label, "other")


LABELS = {1: "cat"}


def fires(x: np.ndarray):
    a = np.vectorize(gelu)(x)  # expect: DP166
    b = np.apply_along_axis(softmax, 1, x)  # expect: DP166
    c = np.vectorize(name_of)(x)  # hint: DP166
    return a, b, c


def silent(x: np.ndarray):
    return np.vectorize(LABELS.get)(x), np.apply_along_axis(np.bincount, 1, x), gelu(1.0)
