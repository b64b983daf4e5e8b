"""Pipelines of a few elements: picked out, zipped with a few, run once."""
import random

import numpy as np
import pandas as pd
import tensorflow as tf


def load(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (84, 84))


def chosen(paths):
    paths = np.random.choice(paths, 20, replace=False)
    return tf.data.Dataset.from_tensor_slices(paths).map(load)  # hint: DP101


def sampled(paths):
    some = random.sample(paths, k=20)
    return tf.data.Dataset.from_tensor_slices(some).map(load)  # hint: DP101


def cut(paths):
    some = paths[:20]
    return tf.data.Dataset.from_tensor_slices(some).map(load)  # hint: DP101


def many_chosen(paths):
    paths = np.random.choice(paths, 20000)
    return tf.data.Dataset.from_tensor_slices(paths).map(load)  # expect: DP101


def filled(folder):
    paths = []
    for path in tf.io.gfile.listdir(folder):
        paths.append(path)
    return tf.data.Dataset.from_tensor_slices(paths).map(load)  # expect: DP101


def zipped(paths, labels):
    few = tf.data.Dataset.from_tensor_slices(paths).take(10)
    all_labels = tf.data.Dataset.from_tensor_slices(labels).repeat()
    return tf.data.Dataset.zip((few, all_labels)).map(lambda path, label: (load(path), label))  # hint: DP101


def zipped_whole(paths, labels):
    all_paths = tf.data.Dataset.from_tensor_slices(paths)
    all_labels = tf.data.Dataset.from_tensor_slices(labels).repeat()
    return tf.data.Dataset.zip((all_paths, all_labels)).map(lambda path, label: (load(path), label))  # expect: DP101


def shown(paths):
    element = tf.data.Dataset.from_tensor_slices(paths).map(load).make_one_shot_iterator().get_next()  # hint: DP101
    with tf.Session() as session:
        print(session.run(element))


def shown_with_labels(paths):
    dataset = tf.data.Dataset.from_tensor_slices(paths).map(lambda path: (load(path), path))  # hint: DP101
    iterator = dataset.make_one_shot_iterator()
    image, path = iterator.get_next()
    with tf.Session() as session:
        print(session.run([image, path]))


def shown_together(paths, targets):
    inputs = tf.data.Dataset.from_tensor_slices(paths).map(load)  # hint: DP101
    outputs = tf.data.Dataset.from_tensor_slices(targets).map(load)  # hint: DP101
    both = tf.data.Dataset.zip((inputs, outputs)).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        print(session.run(both))


def trained_together(paths, targets, model):
    inputs = tf.data.Dataset.from_tensor_slices(paths).map(load)  # expect: DP101
    outputs = tf.data.Dataset.from_tensor_slices(targets).map(load)  # expect: DP101
    model.fit(tf.data.Dataset.zip((inputs, outputs)).batch(8))


def shown_a_few_times(paths):
    element = tf.data.Dataset.from_tensor_slices(paths).map(load).prefetch(1).make_one_shot_iterator().get_next()  # hint: DP101
    with tf.Session() as session:
        for _ in range(20):
            print(session.run(element))


def shown_often(paths):
    element = tf.data.Dataset.from_tensor_slices(paths).map(load).prefetch(1).make_one_shot_iterator().get_next()  # expect: DP101
    with tf.Session() as session:
        for _ in range(20):
            for _ in range(20):
                print(session.run(element))


def trained(paths):
    element = tf.data.Dataset.from_tensor_slices(paths).map(load).prefetch(1).make_one_shot_iterator().get_next()  # expect: DP101
    with tf.Session() as session:
        while True:
            print(session.run(element))


def built_on(paths, model):
    element = tf.data.Dataset.from_tensor_slices(paths).map(load).prefetch(1).make_one_shot_iterator().get_next()  # expect: DP101
    return model(element)


def from_frame(frame: pd.DataFrame):
    return (
        frame.assign(n=1)
        .pipe(lambda table: tf.data.Dataset.from_tensor_slices(table.to_dict("list")))
        .map(lambda row: load(row["name"]))  # expect: DP101
        .batch(64)
    )
