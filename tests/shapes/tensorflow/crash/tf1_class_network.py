# tensorflow 1: ValueError: Cannot feed value of shape (32, 4) for Tensor 'Placeholder:0', which has shape '(?, 8)'
import numpy as np
import tensorflow as tf


class DQN:
    def __init__(self, state_size, action_size):
        self.state_size = state_size
        self.inputs_ = tf.placeholder(tf.float32, [None, state_size], name='inputs')
        self.actions_ = tf.placeholder(tf.int32, [None], name='actions')
        one_hot_actions = tf.one_hot(self.actions_, action_size)
        self.targetQs_ = tf.placeholder(tf.float32, [None], name='target')
        self.fc1 = tf.contrib.layers.fully_connected(self.inputs_, 64)
        self.output = tf.contrib.layers.fully_connected(self.fc1, action_size, activation_fn=None)
        self.Q = tf.reduce_sum(tf.multiply(self.output, one_hot_actions), axis=1)
        self.loss = tf.reduce_mean(tf.square(self.targetQs_ - self.Q))
        self.opt = tf.train.AdamOptimizer(0.001).minimize(self.loss)


net = DQN(8, 2)  # fixed: net = DQN(4, 2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    states = np.zeros((32, 4))
    qs = sess.run(net.output, feed_dict={net.inputs_: states})  # expect: DP613
