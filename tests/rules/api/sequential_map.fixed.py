import functools
import multiprocessing
import random

import numpy as np
import pandas as pd
import tensorflow as tf
import tensorflow_datasets as tfds
from datasets import load_dataset
from tensorflow import data as d


def parse(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path))
    return tf.image.resize(image, (224, 224))


def plain(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    return ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)


def given_in_other_ways(paths, options):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(parse, 8)
    ds = ds.map(parse, **options)
    ds = ds.map(*options)
    ds = ds.interleave(tf.data.TFRecordDataset, 4, 1, 8)
    ds = ds.map(parse, num_parallel_calls=options.threads)
    return ds


def not_parallel_at_all(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    ds = ds.map(parse, tf.data.AUTOTUNE)  # expect: DP101
    return ds


def chain(pattern):
    return (tf.data.Dataset.list_files(pattern)
            .shuffle(100)
            .interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
            .map(  # expect: DP101
                parse, num_parallel_calls=tf.data.AUTOTUNE,
            )
            .batch(32)
            .prefetch(1))


def other_names(paths):
    a = d.Dataset.from_tensor_slices(paths).map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    ds_map = a.map
    b = ds_map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    return b.map_with_legacy_function(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101


def parameter_without_annotation(ds, training):
    if training:
        ds = ds.shuffle(1000)
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    return ds.batch(8).prefetch(1)


def parameter_with_annotation(ds: tf.data.Dataset):
    return ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101


def parameter_that_callers_tell(thing):
    return thing.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101


caller = parameter_that_callers_tell(tf.data.TFRecordDataset("x"))


def from_libraries(folder):
    train = tfds.load("mnist", split="train")
    train = train.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    (a, b), info = tfds.load("mnist", split=["train", "test"], with_info=True)
    a = a.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    images = tf.keras.utils.image_dataset_from_directory(folder)
    images = images.map(lambda x, y: (tf.image.random_flip_left_right(x), y), num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    parts = tfds.load("mnist")
    return parts["train"].map(parse, num_parallel_calls=tf.data.AUTOTUNE), images, train, b, info  # expect: DP101


class Pipeline:
    def __init__(self, paths):
        self.dataset = tf.data.Dataset.from_tensor_slices(paths)

    def build(self):
        self.dataset = self.dataset.map(self.load, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
        return self.dataset

    def load(self, path):
        return tf.io.decode_png(tf.io.read_file(path))


def applied(ds: tf.data.Dataset):
    def transform(inner):
        return inner.map(parse, num_parallel_calls=tf.data.AUTOTUNE).prefetch(1)  # expect: DP101

    ds = ds.apply(transform)
    ds = ds.apply(tf.data.experimental.map_and_batch(parse, 32))
    ds = ds.apply(tf.data.experimental.map_and_batch(parse, 32, num_parallel_calls=tf.data.AUTOTUNE))  # expect: DP101
    return ds.apply(tf.data.experimental.map_and_batch(parse, 32, num_parallel_calls=4))


def cheap(ds: tf.data.Dataset):
    ds = ds.map(lambda x, y: (y, x))  # hint: DP101
    ds = ds.map(lambda x: tf.cast(x, tf.float32))  # hint: DP101
    return ds.map(functools.partial(tf.reshape, shape=[-1]))  # hint: DP101


def nested(files):
    def read(file):
        return tf.data.TFRecordDataset(file).map(parse)  # hint: DP101

    return files.interleave(read, num_parallel_calls=8).batch(4).prefetch(2)


def python_map(values, frame, pool):
    a = map(parse, values)
    b = values.map(parse)
    c = pd.Series(values).map(parse)
    e = frame["x"].map(parse)
    f = multiprocessing.Pool(4).map(parse, values)
    g = load_dataset("imdb").map(parse)
    h = pool.map(parse, values)
    return a, b, c, e, f, g, h, np.array(values), random.random()


def narrowed(images, other):
    if isinstance(images, tf.data.Dataset):
        images = images.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    if not isinstance(other, tf.data.Dataset):
        return other.map(parse)
    return other.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101


def derived(inputs):
    outputs = inputs.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
    outputs = outputs.batch(4).prefetch(1)
    return outputs


def in_containers(paths):
    parts = [tf.data.TFRecordDataset(path) for path in paths]
    a = [part.map(parse, num_parallel_calls=tf.data.AUTOTUNE) for i, part in enumerate(parts)]  # expect: DP101
    for part in parts:
        a.append(part.map(parse, num_parallel_calls=tf.data.AUTOTUNE))  # expect: DP101
    return a


def quoted(ds: "tf.data.Dataset"):
    return ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101


def files_are_not_cheap(ds: tf.data.Dataset):
    return ds.interleave(lambda path: tf.data.TextLineDataset(path).skip(1), num_parallel_calls=tf.data.AUTOTUNE)  # expect: DP101
