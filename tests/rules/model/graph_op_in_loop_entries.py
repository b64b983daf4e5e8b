"""A variable for each entry of a dictionary, which is kept there."""
import numpy as np
import tensorflow as tf


class Inference:
    def __init__(self, data):
        sess = tf.get_default_session()
        self.data = {}
        for key, value in data.items():
            placeholder = tf.placeholder(key.dtype, np.shape(value))  # hint: DP201
            variable = tf.Variable(placeholder, trainable=False)  # hint: DP201
            sess.run(variable.initializer, {placeholder: value})
            self.data[key] = variable


def again_and_again(sess, steps, values):
    for step in range(steps):
        placeholder = tf.placeholder(tf.float32)  # expect: DP201
        variable = tf.Variable(placeholder)  # expect: DP201
        sess.run(variable.initializer, {placeholder: values[step]})
        values[step] = variable


def not_kept(sess, data):
    for key, value in data.items():
        mean = tf.Variable(value)  # expect: DP201
        sess.run(mean.initializer)
