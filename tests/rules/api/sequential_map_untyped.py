"""Datasets that nobody says are ones."""
import functools

import tensorflow as tf
from other_package import rows, text


def load(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [224, 224])


def scaled(path, size):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [size, size])


def plain(row):
    return row["text"].lower()


def batched(inputs):
    return inputs.map(load).batch(8)  # expect: DP101


def named(ds, train_dataset, size):
    a = ds.map(load)  # expect: DP101
    b = train_dataset.map(functools.partial(scaled, size=size))  # expect: DP101
    c = ds.map(load, num_parallel_calls=4)
    return a, b, c


def through_a_call(name, train_data):
    ds = rows.read(name)
    ds = ds.map(lambda x: load(x["path"]))  # expect: DP101
    return ds, train_data.map(load)  # expect: DP101


def of_something_else(dataset, frame, names):
    a = dataset.map(plain)
    b = frame.map(load)
    c = rows.map(plain)
    d = names.map(text.lower)
    return a, b, c, d


def prepare(inputs):
    return inputs.map(load)  # expect: DP101


class Loader:
    def prepare(self, inputs):
        return inputs.map(load)  # expect: DP101

    def all(self, files):
        return tf.data.Dataset.from_tensor_slices(files).apply(self.prepare).batch(8)


def all(files):
    return tf.data.Dataset.from_tensor_slices(files).apply(prepare).batch(8)
