# ValueError: Shape must be rank 4 but is rank 2 for 'conv1/Conv2D'
import tensorflow as tf

def conv2d(x, W, b, strides=1):
    x = tf.nn.conv2d(x, W, strides=[1, strides, strides, 1], padding='SAME')  # expect: DP604
    x = tf.nn.bias_add(x, b)
    return tf.nn.relu(x)

weights = {'wc1': tf.Variable(tf.random_normal([5, 5, 1, 32]))}
biases = {'bc1': tf.Variable(tf.random_normal([32]))}
x = tf.placeholder(tf.float32, [None, 784])
#+ x = tf.reshape(x, shape=[-1, 28, 28, 1])
conv1 = conv2d(x, weights['wc1'], biases['bc1'])
