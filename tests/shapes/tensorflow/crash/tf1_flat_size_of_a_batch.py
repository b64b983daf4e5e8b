# tensorflow 1: a tensor of 51200 values cannot be reshaped: the requested shape requires a multiple of 3136
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

mnist = input_data.read_data_sets("MNIST_data/", one_hot=True)
x = tf.placeholder(tf.float32, [None, 784])
y_ = tf.placeholder(tf.float32, [None, 10])
image = tf.reshape(x, [-1, 28, 28, 1])
w1 = tf.Variable(tf.truncated_normal([5, 5, 1, 32], stddev=0.1))
h1 = tf.nn.relu(tf.nn.conv2d(image, w1, strides=[1, 1, 1, 1], padding="SAME"))
p1 = tf.nn.max_pool(h1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
w2 = tf.Variable(tf.truncated_normal([5, 5, 32, 64], stddev=0.1))
h2 = tf.nn.relu(tf.nn.conv2d(p1, w2, strides=[1, 2, 2, 1], padding="SAME"))
p2 = tf.nn.max_pool(h2, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
flat = tf.reshape(p2, [-1, 7 * 7 * 64])  # expect: DP603  # fixed: flat = tf.reshape(p2, [-1, 4 * 4 * 64])
w3 = tf.Variable(tf.truncated_normal([7 * 7 * 64, 10], stddev=0.1))  # fixed: w3 = tf.Variable(tf.truncated_normal([4 * 4 * 64, 10], stddev=0.1))
logits = tf.matmul(flat, w3)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits))
train = tf.train.AdamOptimizer(1e-4).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(1000):
        bx, by = mnist.train.next_batch(50)
        sess.run(train, feed_dict={x: bx, y_: by})
