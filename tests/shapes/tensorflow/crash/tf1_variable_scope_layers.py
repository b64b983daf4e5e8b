# tensorflow 1: ValueError: Dimensions must be equal, but are 64 and 32 for 'add'
import tensorflow as tf


def layer(x, n_in, n_out, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", shape=[n_in, n_out], initializer=tf.contrib.layers.xavier_initializer())
        b = tf.get_variable("b", shape=[n_in], initializer=tf.constant_initializer(0.0))  # fixed: b = tf.get_variable("b", shape=[n_out], initializer=tf.constant_initializer(0.0))
        return tf.nn.relu(tf.matmul(x, w) + b)  # expect: DP602


x = tf.placeholder(tf.float32, [None, 32])
h = layer(x, 32, 64, "h1")
out = layer(h, 64, 10, "out")
