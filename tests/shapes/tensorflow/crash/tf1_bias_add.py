# tensorflow 1: ValueError: Dimensions must be equal, but are 64 and 32 for 'BiasAdd' with input shapes: [?,28,28,64], [32].
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 28, 28, 1])
wc1 = tf.Variable(tf.random_normal([5, 5, 1, 64]))
bc1 = tf.Variable(tf.random_normal([32]))  # or here  # fixed: bc1 = tf.Variable(tf.random_normal([64]))
conv = tf.nn.conv2d(x, wc1, strides=[1, 1, 1, 1], padding='SAME')
out = tf.nn.relu(tf.nn.bias_add(conv, bc1))  # expect: DP602
