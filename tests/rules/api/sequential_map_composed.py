"""Functions that are put together from others."""
import functools

import tensorflow as tf


class Compose:
    def __init__(self, steps=()):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


class Decode:
    def __call__(self, x):
        return tf.io.decode_raw(tf.io.parse_single_example(x, {"v": tf.io.FixedLenFeature([], tf.string)})["v"], tf.uint8)


class Resize:
    def __call__(self, x):
        return tf.image.resize(x, (8, 8))


def part(x):
    return x[4:8]


def cheap(volume):
    return Compose([part])(volume)


def objects(paths):
    return tf.data.TFRecordDataset(paths).map(Compose([Decode(), Resize()]))  # expect: DP101


def compose(*functions):
    def apply(x, function):
        return function(x)

    def composed(*args):
        return functools.reduce(apply, functions, args)

    return composed


def reduced(paths):
    return tf.data.TFRecordDataset(paths).map(compose(Decode(), Resize()))  # expect: DP101


def added(dataset: tf.data.Dataset):
    return dataset.map(lambda parts: functools.reduce(lambda a, b: a + b, parts))  # hint: DP101
