# tensorflow 1: a value of shape (50, 3) cannot be fed to a placeholder of shape (?, 2)
import numpy as np
import tensorflow as tf

a = np.random.random((20, 3))
b = np.random.random((30, 3))
X_data = np.vstack((a, b))
y_data = np.hstack([np.zeros(20), np.ones(30)])
X = tf.placeholder(tf.float32, [None, 2])  # fixed: X = tf.placeholder(tf.float32, [None, 3])
W = tf.Variable(np.random.randn(3, 1).astype(np.float32))
h = tf.sigmoid(tf.matmul(tf.zeros([1, 3]), W))
with tf.Session() as sess:
    sess.run(h, feed_dict={X: X_data})  # expect: DP613
