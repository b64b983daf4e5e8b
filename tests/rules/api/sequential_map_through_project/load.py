import compat as tf
from compat import data


def decode(record):
    return tf.io.decode_jpeg(record)


def load(files):
    a = tf.data.TFRecordDataset(files).map(decode)  # expect: DP101
    b = data.TFRecordDataset(files).map(decode)  # expect: DP101
    return a, b, tf.data.TFRecordDataset(files).map(decode, num_parallel_calls=tf.data.AUTOTUNE)
