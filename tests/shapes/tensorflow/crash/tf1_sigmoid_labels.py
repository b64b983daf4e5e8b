# tensorflow 1: ValueError: logits and labels must have the same shape ((?, 1) vs (?,))
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 12])
y = tf.placeholder(tf.float32, [None])  # fixed: y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable(tf.zeros([12, 1]))
logits = tf.matmul(x, w)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))  # expect: DP605
