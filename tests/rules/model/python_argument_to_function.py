import math

import jax
import tensorflow as tf


@tf.function
def train_step(batch, step):
    return tf.reduce_mean(batch) * tf.cast(step, tf.float32)


@tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
def with_signature(batch, step):
    return train_step(batch, step)


def plain(batch, step):
    return batch * step


@jax.jit
def jitted(batch, step):
    return batch * step


class Trainer:
    @tf.function
    def step(self, batch, step):
        return batch * step

    def train(self, dataset, n):
        for epoch in range(n):
            for i, batch in enumerate(dataset):
                self.step(batch, i)  # expect: DP207
            self.step(0.0, epoch)  # expect: DP207


def fires(dataset, n):
    for i in range(n):
        train_step(1.0, i)  # expect: DP207
    for i, batch in enumerate(dataset):
        train_step(batch, step=i + 1)  # expect: DP207
    for epoch in range(n):
        for batch in dataset:
            train_step(batch, epoch)  # expect: DP207


def silent(dataset, n):
    for i in range(n):
        train_step(1.0, tf.constant(i))
        with_signature(1.0, i)
        plain(1.0, i)
        jitted(1.0, i)
        if i % 100 == 0:
            train_step(1.0, i)
    for i in range(5):
        train_step(1.0, i)
    for batch in dataset:
        train_step(batch, 3)
    for i in tf.range(n):
        train_step(1.0, i)


def cosine(step, total, base=0.1, warm=10):
    if step < warm:
        return base * (step + 1) / warm
    return 0.5 * base * (1 + math.cos(math.pi * step / total))


def as_tensor(step):
    return tf.constant(step * 0.1)


def scheduled(batches):
    step = 0
    for batch in batches:
        train_step(batch, cosine(step, 1000))  # expect: DP207
        train_step(batch, step)  # expect: DP207
        train_step(batch, float(step))  # expect: DP207
        train_step(batch, as_tensor(step))
        train_step(batch, tf.constant(cosine(step, 1000)))
        step += 1


def fixed(batches):
    rate = cosine(3, 1000)
    for batch in batches:
        train_step(batch, rate)


def annealed(batches):
    beta = 0.4
    rate = 1.0
    for batch in batches:
        beta = min(1.0, beta + 1e-5)
        rate = rate * 0.99
        train_step(batch, beta)  # expect: DP207
        train_step(batch, rate)  # expect: DP207
        train_step(batch, tf.constant(beta))


def not_annealed(batches, beta):
    scale = 0.5
    for batch in batches:
        train_step(batch, scale)
        beta = min(1.0, beta + 1e-5)
        train_step(batch, beta)
