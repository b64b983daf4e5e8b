import numpy as np
import tensorflow as tf


@tf.function
def fires(x):
    y = tf.square(x)
    a = y.numpy()  # expect: DP211
    b = x.numpy()  # expect: DP211
    c = np.max(y)  # expect: DP211
    d = np.array(tf.shape(y))  # expect: DP211
    return a, b, c, d


def helper(y):
    return np.sum(tf.exp(y))  # expect: DP211


@tf.function
def caller(x):
    return helper(x)


def as_python(y):
    return np.sum(tf.exp(y).numpy())


@tf.function
def silent(x, config):
    y = tf.square(x)
    a = np.prod(x.shape)
    b = np.sqrt(2.0)
    c = tf.py_function(as_python, [y], tf.float32)
    d = np.arange(10)
    if tf.executing_eagerly():
        print(y.numpy())
    return y * a * b + c + d


def eager(x):
    y = tf.square(x)
    return np.sum(y) + y.numpy()
