# ValueError: Cannot feed value of shape (100, 28, 28) for Tensor 'Placeholder:0', which has shape '(?, 784)'
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 784])
y_ = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([784, 10]))
b = tf.Variable(tf.zeros([10]))
y = tf.nn.softmax(tf.matmul(x, W) + b)
cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), reduction_indices=[1]))
train_step = tf.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
images = np.random.rand(100, 28, 28)  # fixed: images = np.random.rand(100, 784)
labels = np.eye(10)[np.random.choice(10, 100)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(1000):
        sess.run(train_step, feed_dict={x: images, y_: labels})  # expect: DP613
