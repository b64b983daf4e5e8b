# tensorflow: matmul takes at least 2 dimensions, but gets [5]
import tensorflow as tf
import numpy as np

n = 5
x = tf.placeholder(tf.float32, [n])  # fixed: x = tf.placeholder(tf.float32, [n, 1])
W = tf.Variable(tf.zeros([3, n]))
b = tf.Variable(tf.zeros([3, 1]))
y = tf.nn.sigmoid(tf.matmul(W, x) + b)  # expect: DP604
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    print(sess.run(y, feed_dict={x: np.ones(n)}))  # fixed: print(sess.run(y, feed_dict={x: np.ones((n, 1))}))
