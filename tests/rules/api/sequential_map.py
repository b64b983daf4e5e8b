import functools
import multiprocessing
import random

import keras
import numpy as np
import pandas as pd
import scipy.ndimage
import tensorflow as tf
import tensorflow_datasets as tfds
from datasets import load_dataset
from tensorflow import data as d


def parse(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path))
    return tf.image.resize(image, (224, 224))


def plain(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(parse)  # expect: DP101
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
    ds = ds.map(parse, num_parallel_calls=None)  # expect: DP101
    ds = ds.map(parse, num_parallel_calls=1)  # expect: DP101
    ds = ds.map(parse, 1)  # expect: DP101
    return ds


def chain(pattern):
    return (tf.data.Dataset.list_files(pattern)
            .shuffle(100)
            .interleave(tf.data.TFRecordDataset)  # expect: DP101
            .map(  # expect: DP101
                parse,
            )
            .batch(32)
            .prefetch(1))


def other_names(paths):
    a = d.Dataset.from_tensor_slices(paths).map(parse)  # expect: DP101
    ds_map = a.map
    b = ds_map(parse)  # expect: DP101
    return b.map_with_legacy_function(parse)  # expect: DP101


def parameter_without_annotation(ds, training):
    if training:
        ds = ds.shuffle(1000)
    ds = ds.map(parse)  # expect: DP101
    return ds.batch(8).prefetch(1)


def parameter_with_annotation(ds: tf.data.Dataset):
    return ds.map(parse)  # expect: DP101


def parameter_that_callers_tell(thing):
    return thing.map(parse)  # expect: DP101


caller = parameter_that_callers_tell(tf.data.TFRecordDataset("x"))


def from_libraries(folder):
    train = tfds.load("mnist", split="train")
    train = train.map(parse)  # expect: DP101
    (a, b), info = tfds.load("mnist", split=["train", "test"], with_info=True)
    a = a.map(parse)  # expect: DP101
    images = tf.keras.utils.image_dataset_from_directory(folder)
    images = images.map(lambda x, y: (tf.image.random_flip_left_right(x), y))  # expect: DP101
    parts = tfds.load("mnist")
    return parts["train"].map(parse), images, train, a, b, info  # expect: DP101


class Pipeline:
    def __init__(self, paths):
        self.dataset = tf.data.Dataset.from_tensor_slices(paths)

    def build(self):
        self.dataset = self.dataset.map(self.load)  # expect: DP101
        return self.dataset

    def load(self, path):
        return tf.io.decode_png(tf.io.read_file(path))


def applied(ds: tf.data.Dataset):
    def transform(inner):
        return inner.map(parse).prefetch(1)  # expect: DP101

    ds = ds.apply(transform)
    ds = ds.apply(tf.data.experimental.map_and_batch(parse, 32))  # hint: DP302
    ds = ds.apply(tf.data.experimental.map_and_batch(parse, 32, num_parallel_calls=1))  # expect: DP101  # hint: DP302
    return ds.apply(tf.data.experimental.map_and_batch(parse, 32, num_parallel_calls=4))  # hint: DP302


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
        return images.map(parse)  # expect: DP101
    if not isinstance(other, tf.data.Dataset):
        return other.map(parse)
    return other.map(parse)  # expect: DP101


def derived(inputs):
    outputs = inputs.map(parse)  # expect: DP101
    outputs = outputs.batch(4).prefetch(1)
    return outputs


def in_containers(paths):
    parts = [tf.data.TFRecordDataset(path) for path in paths]
    a = [part.map(parse) for i, part in enumerate(parts)]  # expect: DP101
    for part in parts:
        a.append(part.map(parse))  # expect: DP101
    return a


def quoted(ds: "tf.data.Dataset"):
    return ds.map(parse)  # expect: DP101


def files_are_not_cheap(ds: tf.data.Dataset):
    return ds.interleave(lambda path: tf.data.TextLineDataset(path).skip(1))  # expect: DP101


def only_a_few_are_read(paths, plot, model):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    shown = ds.map(parse).batch(4)  # hint: DP101
    shown = shown.prefetch(1)
    for image in shown.take(1):
        plot(image)
    first = ds.map(parse)  # hint: DP101
    plot(next(iter(first)))
    described = ds.map(parse)  # hint: DP101
    print(described.element_spec)
    single = ds.map(parse).batch(100)  # hint: DP101
    plot(single.get_single_element())
    trained = ds.map(parse)  # expect: DP101
    for image in trained.take(1):
        plot(image)
    model.fit(trained.batch(32).prefetch(1))
    stepped = iter(ds.map(parse))  # expect: DP101
    for step in range(1000):
        model.train_on_batch(next(stepped))


def written_down():
    a = tf.data.Dataset.from_tensor_slices(["a.jpg", "b.jpg"]).map(parse)  # hint: DP101
    names = np.array(["a.jpg", "b.jpg"])
    b = tf.data.Dataset.from_tensor_slices(names).map(parse)  # hint: DP101
    c = tf.data.Dataset.range(1).map(lambda i: parse(tf.strings.as_string(i)))  # hint: DP101
    return a, b, c


def plain_python(x):
    return [len(x.numpy().decode())]


def rotate(x):
    return scipy.ndimage.rotate(x, 30)


@tf.py_function(Tout=tf.float32)
def rotated(x):
    return scipy.ndimage.rotate(x, 30)


def runs_python(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    a = ds.map(lambda x: tf.py_function(plain_python, [x], tf.int32))  # hint: DP101, DP107
    b = ds.map(lambda x: tf.py_function(rotate, [x], tf.float32))  # expect: DP101  # hint: DP107
    return a, b, ds.map(lambda x: rotated(x))  # expect: DP101  # hint: DP107


def order_matters(paths, others):
    more = tf.data.Dataset.from_tensor_slices(others).make_one_shot_iterator()  # hint: DP304
    ds = tf.data.Dataset.from_tensor_slices(paths)
    return ds.map(lambda x: (parse(x), more.get_next()))


lookup = tf.keras.layers.StringLookup()
vectorize = tf.keras.layers.TextVectorization()  # expect: DP968
rescale = tf.keras.layers.Rescaling(1.0 / 255)


def little_text(line):
    parts = tf.strings.split(line)
    return lookup(tf.strings.lower(parts[0])), tf.strings.to_number(parts[1])


def text(lines, images):
    ds = tf.data.Dataset.from_tensor_slices(lines)
    a = ds.map(little_text)  # hint: DP101
    b = ds.map(lambda x: vectorize(x))  # expect: DP101
    return a, b, images.map(lambda x: rescale(x)).prefetch(1)  # hint: DP101


def more_cheap_ones(batch):
    if batch.shape.rank is None:
        raise ValueError("what is this?")
    batch = keras.ops.expand_dims(batch, -1)
    start = tf.random.uniform([], maxval=3, dtype=tf.int32)
    return tf.tile(tf.reduce_max(batch, axis=0)[start:], [2, 1])


def cheap_maps(ds: tf.data.Dataset):
    return ds.map(more_cheap_ones)  # hint: DP101


def beam_runs_it(pipeline, paths, beam):
    def read(path):
        return tf.data.Dataset.from_tensor_slices([path, path]).map(parse).prefetch(1)  # hint: DP101

    return pipeline | beam.Create(paths) | beam.FlatMap(read)


def input_fn(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(parse).batch(8)  # expect: DP101


@tf.function
def in_a_graph(paths):
    return tf.data.Dataset.from_tensor_slices(paths).map(parse).batch(8)  # expect: DP101
