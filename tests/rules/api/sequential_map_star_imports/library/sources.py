import tensorflow as tf


def _records(paths):
    return tf.data.TFRecordDataset(paths)


def images(paths):
    return tf.data.Dataset.from_tensor_slices(paths)


def hidden(paths):
    return tf.data.Dataset.from_tensor_slices(paths)
