import numpy as np
import tensorflow as tf


def generate():
    for i in range(100):
        yield np.zeros(3)


def load_in_python(path):
    return np.load(path.decode())


def load(path):
    return tf.numpy_function(load_in_python, [path], tf.float32)


def fires(paths):
    a = tf.data.Dataset.from_generator(generate, output_types=tf.float32)  # hint: DP107
    b = tf.data.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=4)  # hint: DP107
    c = tf.data.Dataset.from_tensor_slices(paths).map(  # hint: DP107
        lambda p: tf.py_function(load_in_python, [p], tf.float32), num_parallel_calls=2)
    return a, b, c


def silent(paths, x):
    a = tf.data.Dataset.from_tensor_slices(paths).map(lambda p: tf.io.read_file(p), num_parallel_calls=4)
    b = tf.py_function(load_in_python, [x], tf.float32)
    return a, b
