# tensorflow: matmul of [N, 128] and [28, 10] is invalid: 128 columns meet 28 rows
import tensorflow as tf

n_steps, n_input, n_hidden, n_classes = 28, 28, 128, 10
x = tf.placeholder("float", [None, n_steps, n_input])
y = tf.placeholder("float", [None, n_classes])
weights = tf.Variable(tf.random_normal([n_input, n_classes]))  # fixed: weights = tf.Variable(tf.random_normal([n_hidden, n_classes]))
biases = tf.Variable(tf.random_normal([n_classes]))


def RNN(x):
    x = tf.unstack(x, n_steps, 1)
    cell = tf.nn.rnn_cell.BasicLSTMCell(n_hidden, forget_bias=1.0)
    outputs, states = tf.nn.static_rnn(cell, x, dtype=tf.float32)
    return tf.matmul(outputs[-1], weights) + biases  # expect: DP602


pred = RNN(x)
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=pred, labels=y))
