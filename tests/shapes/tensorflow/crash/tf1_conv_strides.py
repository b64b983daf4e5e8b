# tensorflow 1: ValueError: Attr strides must have length 4 / conv2d requires the stride attribute to contain 4 values, but got: 2
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 28, 28, 3])
w = tf.Variable(tf.truncated_normal([3, 3, 3, 8]))
y = tf.nn.conv2d(x, w, strides=[1, 2, 2], padding='SAME')  # expect: DP604 or DP611  # fixed: y = tf.nn.conv2d(x, w, strides=[1, 2, 2, 1], padding='SAME')
