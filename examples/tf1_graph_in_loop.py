"""TensorFlow 1: every step adds nodes to the graph, so every step is slower than the one before."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

x = tf.placeholder(tf.float32, [None, 784], name="x")
y = tf.placeholder(tf.int64, [None], name="y")
logits = tf.layers.dense(x, 10)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def batches(count):
    for _ in range(count):
        yield np.random.rand(32, 784), np.random.randint(0, 10, 32)


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step, (images, labels) in enumerate(batches(1000)):
        sess.run(train_op, feed_dict={x: images, y: labels})
        # PLANTED: tf.argmax, tf.equal and tf.reduce_mean create new graph nodes in every step
        correct = tf.equal(tf.argmax(logits, 1), y)
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
        if step % 100 == 0:
            print(step, sess.run(accuracy, feed_dict={x: images, y: labels}))
