# tensorflow 1: ValueError: Shape (?, 28) must have rank at least 3
import tensorflow as tf

n_steps, n_inputs, n_hidden = 28, 28, 128
x = tf.placeholder(tf.float32, [None, n_inputs])  # fixed: x = tf.placeholder(tf.float32, [None, n_steps, n_inputs])
cell = tf.nn.rnn_cell.BasicLSTMCell(n_hidden)
outputs, states = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)  # expect: DP604
