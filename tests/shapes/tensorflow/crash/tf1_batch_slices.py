# tensorflow 1: ValueError: Cannot feed value of shape (16, 2) for Tensor which has shape '(?, 1)'
import numpy as np
import tensorflow as tf

data = np.random.rand(160, 6).astype(np.float32)
x_data = data[:, 0:-1]
y_data = data[:, [4, 5]]  # fixed: y_data = data[:, [-1]]
X = tf.placeholder(tf.float32, shape=[None, 5])
Y = tf.placeholder(tf.float32, shape=[None, 1])
W = tf.Variable(tf.random_normal([5, 1]), name='weight')
cost = tf.reduce_mean(tf.square(tf.matmul(X, W) - Y))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(10):
        for i in range(10):
            bx, by = x_data[i * 16:(i + 1) * 16], y_data[i * 16:(i + 1) * 16]
            sess.run(cost, feed_dict={X: bx, Y: by})  # expect: DP613
