# tensorflow 1: InvalidArgumentError: Input to reshape is a tensor with 409600 values, but the requested shape requires a multiple of 3136
import numpy as np
import tensorflow as tf

images = np.random.rand(100, 32, 32, 3)
x = tf.placeholder(tf.float32, [100, 32, 32, 3])
w1 = tf.get_variable("w1", [5, 5, 3, 64])
c1 = tf.nn.relu(tf.nn.conv2d(x, w1, strides=[1, 1, 1, 1], padding="SAME"))
p1 = tf.nn.max_pool(c1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
w2 = tf.get_variable("w2", [5, 5, 64, 64])
c2 = tf.nn.relu(tf.nn.conv2d(p1, w2, strides=[1, 1, 1, 1], padding="SAME"))
p2 = tf.nn.max_pool(c2, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
flat = tf.reshape(p2, [-1, 7 * 7 * 64])  # expect: DP603  # fixed: flat = tf.reshape(p2, [-1, 8 * 8 * 64])
fc = tf.layers.dense(flat, 10)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(fc, feed_dict={x: images})
