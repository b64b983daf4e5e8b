"""Elements that somebody only looks at, also in another function; options that make maps parallel."""
import functools

import matplotlib.pyplot as plt
import tensorflow as tf


def parse(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), [224, 224])


def augment(image, factor):
    return tf.image.random_flip_left_right(tf.image.random_brightness(image, factor))


def show(dataset, count=4):
    for image in dataset.take(count):
        plt.imshow(image)


def show_until(dataset, count=4):
    dataset = dataset.repeat(count)
    images = []
    for image in dataset:
        images.append(image)
        count -= 1
        if count == 0:
            break
    plot(images)


def show_by_index(dataset):
    for i, image in enumerate(dataset):
        plot([image])
        if i == 3:
            break


def train(dataset, steps):
    for step, image in enumerate(dataset):
        plot([image])
        if step == steps:
            break


def count_all(dataset, most=1000000):
    for image in dataset.take(most):
        plot([image])


def looked_at(files):
    ds = tf.data.Dataset.list_files(files).map(parse, num_parallel_calls=8)
    a = ds.map(functools.partial(augment, factor=0.8))  # hint: DP101
    show(a, count=4)
    b = ds.map(functools.partial(augment, factor=0.8))  # hint: DP101
    show_until(b)
    c = ds.map(functools.partial(augment, factor=0.8))  # hint: DP101
    show_by_index(c)


def read(files, steps):
    ds = tf.data.Dataset.list_files(files).map(parse, num_parallel_calls=8)
    a = ds.map(functools.partial(augment, factor=0.8))  # expect: DP101
    count_all(a, most=4000)
    b = ds.map(functools.partial(augment, factor=0.8))  # expect: DP101
    show_until(b, steps)
    c = ds.map(functools.partial(augment, factor=0.8))  # expect: DP101
    train(c, steps)
    d = ds.map(functools.partial(augment, factor=0.8))  # expect: DP101
    count_all(d)


class Base:
    def run(self, dataset):
        raise NotImplementedError

    def all(self, files):
        ds = tf.data.Dataset.list_files(files).map(parse)  # expect: DP101
        self.run(ds)


def in_epochs(files, model):
    ds = tf.data.Dataset.list_files(files).map(parse)  # expect: DP101
    for epoch in range(100):
        for i, image in enumerate(ds):
            model.train_on_batch(image)
            if i == 30:
                break
    for epoch in range(100):
        model.fit(tf.data.TFRecordDataset(files).map(parse), steps_per_epoch=1)  # expect: DP101


def tried(files, model):
    model.fit(x=tf.data.TFRecordDataset(files).map(parse), epochs=1, steps_per_epoch=1)  # hint: DP101
    model.fit(tf.data.TFRecordDataset(files).map(parse), steps_per_epoch=1)  # hint: DP101
    model.fit(tf.data.TFRecordDataset(files).map(parse).prefetch(1), epochs=50, steps_per_epoch=1)  # expect: DP101
    model.fit(tf.data.TFRecordDataset(files).map(parse).prefetch(1), epochs=1)  # expect: DP101


def with_parallel_options(files):
    ds = tf.data.TFRecordDataset(files).map(parse).batch(32)
    options = tf.data.Options()
    options.experimental_optimization.map_parallelization = True
    return ds.with_options(options)


def without_them(files):
    return tf.data.TFRecordDataset(files).map(parse).batch(32)  # expect: DP101
from elsewhere import plot
