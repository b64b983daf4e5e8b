import random

import numpy as np
import tensorflow as tf
import torch


def fires(n, limits):
    rng = np.random.default_rng(0)
    a = np.array([rng.normal(0, 1) for _ in range(n)])  # expect: DP169
    b = np.array([np.random.rand() for _ in range(n)])  # expect: DP169
    c = torch.tensor([random.random() for _ in range(n)])  # expect: DP169
    d = tf.stack([tf.random.uniform((), maxval=limit) for limit in limits])  # expect: DP169
    return a, b, c, d


def silent(n, images, sizes):
    a = np.array([np.random.rand() for _ in range(3)])
    b = [random.random() for _ in range(n)]
    c = np.array([np.random.rand(size) for size in sizes])
    d = np.array([random.choice(images) for _ in range(n)])
    e = np.array([np.random.normal(0, 1, size) for size in sizes])
    return a, b, c, d, e
