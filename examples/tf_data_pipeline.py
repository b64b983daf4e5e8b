"""TensorFlow 2: an input pipeline that leaves the GPU waiting."""

import tensorflow as tf


def parse(record):
    features = tf.io.parse_single_example(
        record,
        {
            "image": tf.io.FixedLenFeature([], tf.string),
            "label": tf.io.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.io.decode_jpeg(features["image"], channels=3)
    return tf.image.resize(image, [224, 224]), features["label"]


def normalize(image, label):
    return tf.cast(image, tf.float32) / 255.0, label


def make_dataset(pattern, batch_size=64):
    files = tf.data.Dataset.list_files(pattern)
    # PLANTED: files are read one after the other (num_parallel_calls of interleave is missing)
    ds = files.interleave(tf.data.TFRecordDataset, cycle_length=4)
    # PLANTED: decoding runs on one core (num_parallel_calls=tf.data.AUTOTUNE is missing)
    ds = ds.map(parse)
    # PLANTED: a cheap operation that would run once per batch, not once per image, after batch()
    ds = ds.map(normalize)
    ds = ds.shuffle(10_000)
    ds = ds.batch(batch_size)
    # PLANTED: no prefetch: the next batch is prepared only when the model requests it
    return ds


def make_dataset_well(pattern, batch_size=64):
    """The same without the problems: nothing should be said about this one."""
    files = tf.data.Dataset.list_files(pattern)
    ds = files.interleave(tf.data.TFRecordDataset, cycle_length=4, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.shuffle(10_000)
    ds = ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.batch(batch_size)
    ds = ds.map(normalize, num_parallel_calls=tf.data.AUTOTUNE)
    return ds.prefetch(tf.data.AUTOTUNE)
