# tensorflow: - of [32, 20, 1] and [32, 1] is invalid: 20 is not 32
import tensorflow as tf

batch, steps, feats, hidden = 32, 20, 8, 64
inputs = tf.placeholder(tf.float32, [batch, steps, feats])
targets = tf.placeholder(tf.float32, [batch, 1])
cell = tf.contrib.rnn.BasicLSTMCell(hidden)
outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
W = tf.get_variable('W', [hidden, 1])
b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
last = outputs  # fixed: last = outputs[:, -1, :]
pred = tf.matmul(last, W) + b
loss = tf.reduce_mean(tf.square(pred - targets))  # expect: DP602
opt = tf.train.AdamOptimizer().minimize(loss)
