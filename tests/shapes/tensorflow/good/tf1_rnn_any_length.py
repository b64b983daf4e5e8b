import tensorflow as tf

x = tf.placeholder(tf.float32, [None, None, 32])
lengths = tf.placeholder(tf.int32, [None])
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(64) for _ in range(2)])
outputs, state = tf.nn.dynamic_rnn(cell, x, sequence_length=lengths, dtype=tf.float32)
w = tf.get_variable("w", [64, 5])
logits = tf.reshape(tf.matmul(tf.reshape(outputs, [-1, 64]), w), [tf.shape(x)[0], -1, 5])
