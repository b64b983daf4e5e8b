import tensorflow as tf


def load(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


AUTO = tf.data.AUTOTUNE
files = tf.data.Dataset.list_files("images/*/*.jpg", shuffle=False)
small = files.map(load, num_parallel_calls=AUTO).shuffle(16).batch(32).prefetch(AUTO)  # hint: DP104
large = files.map(load, num_parallel_calls=AUTO).shuffle(4096).batch(32).prefetch(AUTO)
before = files.shuffle(8).map(load, num_parallel_calls=AUTO).batch(32).prefetch(AUTO)  # hint: DP104
twice = files.shuffle(10000).map(load, num_parallel_calls=AUTO).shuffle(8).batch(32).prefetch(AUTO)
