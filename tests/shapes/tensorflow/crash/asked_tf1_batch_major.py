# ValueError: Cannot feed value of shape (10, 5) for Tensor 'Placeholder:0', which has shape '(5, ?)'
import numpy as np
import tensorflow as tf
n_x, m = 5, 10
X = tf.placeholder(tf.float32, [n_x, None])
W = tf.get_variable('W', [4, n_x])
b = tf.get_variable('b', [4, 1], initializer=tf.zeros_initializer())
Z = tf.add(tf.matmul(W, X), b)
data = np.random.randn(m, n_x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(Z, feed_dict={X: data}))  # expect: DP613 # fixed: print(sess.run(Z, feed_dict={X: data.T}))
