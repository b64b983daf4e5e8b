# tensorflow 1: ValueError: Dimensions must be equal, but are 128 and 256 for 'MatMul' with input shapes: [?,128], [256,10].
import tensorflow as tf

n_steps, n_inputs, n_hidden, n_classes = 28, 28, 128, 10
x = tf.placeholder(tf.float32, [None, n_steps, n_inputs])
y = tf.placeholder(tf.float32, [None, n_classes])
weights = tf.Variable(tf.random_normal([2 * n_hidden, n_classes]))  # or here  # fixed: weights = tf.Variable(tf.random_normal([n_hidden, n_classes]))
biases = tf.Variable(tf.random_normal([n_classes]))


def RNN(x):
    x = tf.unstack(x, n_steps, 1)
    lstm_cell = tf.contrib.rnn.BasicLSTMCell(n_hidden, forget_bias=1.0)
    outputs, states = tf.contrib.rnn.static_rnn(lstm_cell, x, dtype=tf.float32)
    return tf.matmul(outputs[-1], weights) + biases  # expect: DP602


pred = RNN(x)
