# ValueError: Cannot feed value of shape (120,) for Tensor 'y:0', which has shape '(?, 1)'
import numpy as np
import tensorflow as tf

n_samples, n_features = 120, 5
train_X = np.random.randn(n_samples, n_features)
train_Y = np.random.randn(n_samples)  # fixed: train_Y = np.random.randn(n_samples, 1)
X = tf.placeholder('float', [None, n_features], name='x')
Y = tf.placeholder('float', [None, 1], name='y')
W = tf.Variable(tf.random_normal([n_features, 1]), name='weight')
b = tf.Variable(tf.zeros([1]), name='bias')
pred = tf.add(tf.matmul(X, W), b)
cost = tf.reduce_sum(tf.pow(pred - Y, 2)) / (2 * n_samples)
optimizer = tf.train.AdamOptimizer(0.01).minimize(cost)
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(50):
        _, c = sess.run([optimizer, cost], feed_dict={X: train_X, Y: train_Y})  # expect: DP613
        print(epoch, c)
