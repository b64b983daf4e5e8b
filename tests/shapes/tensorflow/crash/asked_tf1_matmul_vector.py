# ValueError: Shape must be rank 2 but is rank 1 for 'MatMul'
import numpy as np
import tensorflow as tf

rng = np.random
train_X = np.asarray([3.3, 4.4, 5.5, 6.71])
W = tf.Variable(tf.random_normal([4, 3]))
x = tf.placeholder(tf.float32, [4])  # fixed: x = tf.placeholder(tf.float32, [1, 4])
y = tf.matmul(x, W)  # expect: DP604
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, feed_dict={x: train_X}))  # fixed: print(sess.run(y, feed_dict={x: train_X[None, :]}))
