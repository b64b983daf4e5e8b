# python: too few values to unpack: expected 3, got 2
import tensorflow as tf

x = tf.zeros((4, 6))
a, b, c = tf.split(x, 2, axis=1)  # expect: DP610  # fixed: a, b, c = tf.split(x, 3, axis=1)
