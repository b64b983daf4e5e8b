# tensorflow 1: ValueError: Cannot feed value of shape (100,) for Tensor 'Placeholder_1:0', which has shape '(?, 1)'
import numpy as np
import tensorflow as tf

train_X = np.random.rand(100, 3).astype(np.float32)
train_Y = np.random.rand(100).astype(np.float32)
#+ train_Y = train_Y.reshape(-1, 1)
X = tf.placeholder(tf.float32, [None, 3])
Y = tf.placeholder(tf.float32, [None, 1])
W = tf.Variable(tf.random_normal([3, 1]))
b = tf.Variable(tf.random_normal([1]))
hypothesis = tf.matmul(X, W) + b
cost = tf.reduce_mean(tf.square(hypothesis - Y))
train = tf.train.GradientDescentOptimizer(learning_rate=1e-5).minimize(cost)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for step in range(2001):
    cost_val, _ = sess.run([cost, train], feed_dict={X: train_X, Y: train_Y})  # expect: DP613
    if step % 10 == 0:
        print(step, cost_val)
