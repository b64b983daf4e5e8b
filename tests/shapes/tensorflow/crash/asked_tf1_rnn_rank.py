# ValueError: Dimension must be 2 but is 3: inputs of a dynamic_rnn need a time axis
import tensorflow as tf

batch_size, n_hidden = 16, 128
inputs = tf.placeholder(tf.float32, [batch_size, 28])  # fixed: inputs = tf.placeholder(tf.float32, [batch_size, 14, 2])
cell = tf.nn.rnn_cell.BasicLSTMCell(n_hidden)
outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)  # expect: DP604
