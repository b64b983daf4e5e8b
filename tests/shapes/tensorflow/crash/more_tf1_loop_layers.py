# tensorflow 1: dimensions must be equal, but are 500 and 784
import tensorflow as tf

layers = [784, 500, 300, 10]
x = tf.placeholder(tf.float32, [None, 784])
h = x
for i in range(len(layers) - 1):
    W = tf.Variable(tf.random_normal([layers[i], layers[i + 1]]))
    b = tf.Variable(tf.zeros([layers[i]]))  # fixed: b = tf.Variable(tf.zeros([layers[i + 1]]))
    h = tf.nn.relu(tf.matmul(h, W) + b)  # expect: DP602
