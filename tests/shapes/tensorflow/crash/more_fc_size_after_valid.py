# tensorflow 1: a tensor of 102400 elements cannot be reshaped to [64, 4096]
import tensorflow as tf

x = tf.placeholder(tf.float32, [64, 32, 32, 3])
conv1 = tf.layers.conv2d(x, 32, 5, activation=tf.nn.relu)
pool1 = tf.layers.max_pooling2d(conv1, 2, 2)
conv2 = tf.layers.conv2d(pool1, 64, 5, activation=tf.nn.relu)
pool2 = tf.layers.max_pooling2d(conv2, 2, 2)
flat = tf.reshape(pool2, [64, 8 * 8 * 64])  # expect: DP603  # fixed: flat = tf.reshape(pool2, [64, 5 * 5 * 64])
logits = tf.layers.dense(flat, 10)
