# tensorflow: feed_dict gives [4] to a placeholder of [4, 1]
import numpy as np
import tensorflow as tf

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
Y = np.array([0, 1, 1, 0])  # fixed: Y = np.array([[0], [1], [1], [0]])
x = tf.placeholder(tf.float32, [4, 2])
y = tf.placeholder(tf.float32, [4, 1])
w1 = tf.Variable(tf.random_uniform([2, 2], -1, 1))
b1 = tf.Variable(tf.zeros([2]))
w2 = tf.Variable(tf.random_uniform([2, 1], -1, 1))
b2 = tf.Variable(tf.zeros([1]))
hidden = tf.sigmoid(tf.matmul(x, w1) + b1)
out = tf.sigmoid(tf.matmul(hidden, w2) + b2)
cost = tf.reduce_mean(tf.square(out - y))
train_step = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(10000):
    sess.run(train_step, feed_dict={x: X, y: Y})  # expect: DP613
