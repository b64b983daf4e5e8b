# tensorflow 2: invalid reduction dimension 2 for an input with 2 dimensions
import tensorflow as tf

x = tf.random.uniform((8, 5))
loss = tf.reduce_mean(tf.square(x), axis=[1, 2])  # expect: DP604  # fixed: loss = tf.reduce_mean(tf.square(x), axis=[1])
