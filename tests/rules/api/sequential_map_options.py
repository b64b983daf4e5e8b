import sys
from dataclasses import dataclass, field

import tensorflow as tf


def load(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (224, 224))


@dataclass
class Config:
    options: dict = field(default_factory=lambda: {"deterministic": False})
    parallel: dict = field(default_factory=lambda: dict(num_parallel_calls=8))


def from_config(config: Config, files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    slow = dataset.map(load, **config.options).batch(32).prefetch(2)  # expect: DP101
    fast = dataset.map(load, **config.parallel).batch(32).prefetch(2)
    return slow, fast


def from_dict(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    options = {"deterministic": True}
    slow = dataset.map(load, **options).batch(32).prefetch(2)  # expect: DP101
    options_of_other = {"num_parallel_calls": tf.data.AUTOTUNE}
    fast = dataset.map(load, **options_of_other).batch(32).prefetch(2)
    return slow, fast


def unknown(files, **options):
    return tf.data.Dataset.from_tensor_slices(files).map(load, **options).batch(32).prefetch(2)


from_config(Config(), sys.argv[1:])
