# tensorflow 1: logits and labels must be broadcastable: logits_size=[400,10] labels_size=[100,10]
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 28, 28, 1])
y = tf.placeholder(tf.float32, [None, 10])
conv = tf.layers.conv2d(x, 16, 3, padding="same", activation=tf.nn.relu)
pool = tf.layers.max_pooling2d(conv, 2, 2)
flat = tf.reshape(pool, [-1, 7 * 7 * 16])  # fixed: flat = tf.reshape(pool, [-1, 14 * 14 * 16])
logits = tf.layers.dense(flat, 10)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))  # expect: DP605
step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
images, labels = np.zeros((1000, 28, 28, 1)), np.zeros((1000, 10))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(10):
        sess.run(step, {x: images[i * 100:(i + 1) * 100], y: labels[i * 100:(i + 1) * 100]})
