import random

import numpy as np
import tensorflow as tf


class Noise:
    def __init__(self, std):
        self.std = std
        self.rng = np.random.default_rng(0)
        self.python = random.Random(0)

    def sample(self, shape):
        return self.rng.normal(0.0, self.std, shape).astype("float32")  # expect: DP208

    def factor(self):
        return self.python.uniform(0.5, 1.5)  # expect: DP208

    def tensor(self, shape):
        return tf.random.normal(shape, 0.0, self.std)

    def eager(self, shape):
        return self.rng.normal(0.0, self.std, shape).astype("float32")


class Trainer:
    def __init__(self):
        self.noise = Noise(0.3)

    @tf.function
    def step(self, x):
        return tf.reduce_mean(x + self.noise.sample((128, 784)) * self.noise.factor() + self.noise.tensor((128, 784)))

    def run(self, batches: tf.data.Dataset):
        for x in batches:
            self.step(x + self.noise.eager((128, 784)))
