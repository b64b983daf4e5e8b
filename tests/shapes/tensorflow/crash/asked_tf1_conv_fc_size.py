# ValueError: Dimensions must be equal, but are 64 and 1024: the flattened map does not fit the weights
import tensorflow as tf

def weight_variable(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))

def bias_variable(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))

def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding='SAME')

def max_pool_2x2(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')

x = tf.placeholder(tf.float32, shape=[None, 32, 32, 1])
h1 = max_pool_2x2(tf.nn.relu(conv2d(x, weight_variable([5, 5, 1, 32])) + bias_variable([32])))
h2 = max_pool_2x2(tf.nn.relu(conv2d(h1, weight_variable([5, 5, 32, 64])) + bias_variable([64])))
W_fc1 = weight_variable([7 * 7 * 64, 1024])  # fixed: W_fc1 = weight_variable([8 * 8 * 64, 1024])
flat = tf.reshape(h2, [-1, 8 * 8 * 64])
fc1 = tf.nn.relu(tf.matmul(flat, W_fc1) + bias_variable([1024]))  # expect: DP602
