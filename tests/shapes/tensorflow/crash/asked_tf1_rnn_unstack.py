# ValueError: Dimensions must be equal, but are 128 and 256 for 'MatMul'
import tensorflow as tf
from tensorflow.contrib import rnn

n_steps, n_input, n_hidden, n_classes = 28, 28, 128, 10
x = tf.placeholder('float', [None, n_steps, n_input])
weights = {'out': tf.Variable(tf.random_normal([2 * n_hidden, n_classes]))}  # fixed: weights = {'out': tf.Variable(tf.random_normal([n_hidden, n_classes]))}
biases = {'out': tf.Variable(tf.random_normal([n_classes]))}

def RNN(x, weights, biases):
    x = tf.unstack(x, n_steps, 1)
    lstm_cell = rnn.BasicLSTMCell(n_hidden, forget_bias=1.0)
    outputs, states = rnn.static_rnn(lstm_cell, x, dtype=tf.float32)
    return tf.matmul(outputs[-1], weights['out']) + biases['out']  # expect: DP602

pred = RNN(x, weights, biases)
