# tensorflow 1: ValueError: Cannot feed value of shape (64, 28, 28) for Tensor 'Placeholder:0', which has shape '(?, 784)'
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, shape=[None, 784], name="x")
w = tf.Variable(tf.truncated_normal([784, 10], stddev=0.1))
logits = tf.matmul(x, w)
images = np.random.rand(64, 28, 28)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    out = sess.run(logits, feed_dict={x: images})  # expect: DP613  # fixed: out = sess.run(logits, feed_dict={x: images.reshape(64, 784)})
