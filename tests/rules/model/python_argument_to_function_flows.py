"""Numbers that reach a tf.function through dictionaries, methods, objects and other functions."""
import math

import tensorflow as tf


class Ramp:
    def __init__(self, top, length):
        self.top = top
        self.length = length

    def at(self, step):
        return self.top * min(1.0, step / self.length)

    def __call__(self, step):
        return self.top * (1.0 - math.cos(math.pi * min(step, self.length) / self.length)) / 2


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(4)

    def call(self, x):
        return self.dense(x)


class Loop:
    def __init__(self, data):
        self.data = data
        self.model = Model()
        self.ramp = Ramp(2.0, 1000)
        self.count = 0

    @tf.function
    def step(self, x, weight):
        return tf.reduce_mean(self.model(x)) * weight

    def arguments(self, x):
        return {"x": x, "weight": self.ramp.at(self.count)}

    def tensors(self, x):
        return {"x": x, "weight": tf.constant(self.ramp.at(self.count), tf.float32)}

    def pair(self, x):
        return x, self.ramp(self.count)

    def with_dict(self):
        for x in self.data:
            self.step(**self.arguments(x))  # expect: DP207
            self.count += 1

    def with_tuple(self):
        for x in self.data:
            self.step(*self.pair(x))  # expect: DP207
            self.count += 1

    def with_tensor(self):
        for x in self.data:
            self.step(**self.tensors(x))
            self.count += 1

    def advance(self):
        self.count += 1

    def with_method(self):
        for x in self.data:
            feed = self.arguments(x)
            self.step(feed["x"], feed["weight"])  # expect: DP207
            self.advance()

    def constant(self):
        settings = {"x": None, "weight": self.ramp.top}
        for x in self.data:
            settings["x"] = x
            self.step(**settings)


@tf.function
def update(x, scale):
    return tf.reduce_sum(x) * scale


def scaled(x, number):
    return update(x, math.exp(-number / 100.0))  # expect: DP207


def drive(data):
    for number, x in enumerate(data):
        scaled(x, number)


def filled(data):
    feed = {}
    for number, x in enumerate(data):
        feed["scale"] = 1.0 / (number + 1)
        update(x, feed["scale"])  # expect: DP207


def once(data):
    number = 0
    for x in data:
        number += 1
    return update(x, 1.0 / number)


def from_data(data):
    for x, scale in data:
        update(x, scale)
