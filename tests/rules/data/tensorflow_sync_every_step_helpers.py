import collections

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return {"loss": loss}


@tf.function
def plain_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


class Meters:
    def __init__(self):
        self.values = collections.defaultdict(list)

    def add(self, **scalars):
        for name, value in scalars.items():
            self.values[name].append(value.numpy())

    def keep(self, **scalars):
        for name, value in scalars.items():
            self.values[name].append(value)


def with_meters(dataset: tf.data.Dataset, meters: Meters):
    for x, y in dataset:
        meters.add(**train_step(x, y))  # expect: DP426


def by_name(dataset: tf.data.Dataset, meters: Meters):
    for x, y in dataset:
        loss = plain_step(x, y)
        meters.add(loss=loss)  # expect: DP426


def kept(dataset: tf.data.Dataset, meters: Meters):
    for x, y in dataset:
        meters.keep(**train_step(x, y))


def in_a_comprehension(dataset: tf.data.Dataset):
    return np.mean([plain_step(x, y).numpy() for x, y in dataset])  # expect: DP426


def read_afterwards(dataset: tf.data.Dataset):
    return np.mean([plain_step(x, y) for x, y in dataset])


data = tf.data.Dataset.from_tensor_slices((tf.zeros((10, 3)), tf.zeros((10, 10)))).batch(2).prefetch(1)
with_meters(data, Meters())
by_name(data, Meters())
kept(data, Meters())
