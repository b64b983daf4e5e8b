# tensorflow 1: a value of shape (50, 784) cannot be fed to a placeholder of shape (?, 28, 28, 1)
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
x = tf.placeholder(tf.float32, [None, 28, 28, 1])
y_ = tf.placeholder(tf.float32, [None, 10])
keep_prob = tf.placeholder(tf.float32)
W1 = tf.Variable(tf.truncated_normal([5, 5, 1, 32], stddev=0.1))
h = tf.nn.relu(tf.nn.conv2d(x, W1, strides=[1, 1, 1, 1], padding='SAME'))
p = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
flat = tf.reshape(p, [-1, 14 * 14 * 32])
drop = tf.nn.dropout(flat, keep_prob)
W2 = tf.Variable(tf.truncated_normal([14 * 14 * 32, 10], stddev=0.1))
b2 = tf.Variable(tf.constant(0.1, shape=[10]))
y = tf.nn.softmax(tf.matmul(drop, W2) + b2)
loss = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), reduction_indices=[1]))
train_step = tf.train.AdamOptimizer(1e-4).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    for i in range(200):
        batch_xs, batch_ys = mnist.train.next_batch(50)
        #+ batch_xs = batch_xs.reshape([-1, 28, 28, 1])
        sess.run(train_step, feed_dict={x: batch_xs, y_: batch_ys, keep_prob: 0.5})  # expect: DP613
