# InvalidArgumentError: Input to reshape is a tensor with 600 values, but the requested shape requires a multiple of 784
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 600])
img = tf.reshape(x, [-1, 28, 28, 1])  # expect: DP603 # fixed: img = tf.reshape(x, [-1, 20, 30, 1])
y = tf.layers.conv2d(img, 4, 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(y, {x: np.zeros((1, 600))})
