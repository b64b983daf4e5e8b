import tensorflow as tf
from library import *
from library.api import *


def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


def datasets(paths):
    a = images(paths).map(load)  # expect: DP101
    b = _records(paths).map(load)  # expect: DP101
    c = hidden(paths).map(load)
    return a, b, c


def several(all_paths):
    parts = []
    for paths in all_paths:
        parts.append(images(paths))
    return [part.map(load) for part in parts]  # expect: DP101


def halves(paths):
    left, right = tf.keras.utils.split_dataset(images(paths), left_size=0.5)
    return left.map(load), right  # expect: DP101
