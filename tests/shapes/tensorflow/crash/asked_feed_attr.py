# ValueError: Cannot feed value of shape (32, 80, 80) for Tensor 'Placeholder:0', which has shape '(?, 80, 80, 4)'
import numpy as np
import tensorflow as tf

class DeepQNetwork:
    def __init__(self, n_actions):
        self.n_actions = n_actions
        self._build()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _build(self):
        self.s = tf.placeholder(tf.float32, [None, 80, 80, 4])
        self.a = tf.placeholder(tf.float32, [None, self.n_actions])
        net = tf.layers.conv2d(self.s, 32, 8, 4, activation=tf.nn.relu)
        net = tf.layers.flatten(net)
        self.q = tf.layers.dense(net, self.n_actions)
        self.loss = tf.reduce_mean(tf.reduce_sum(self.q * self.a, axis=1))
        self.train_op = tf.train.AdamOptimizer(1e-4).minimize(self.loss)

    def learn(self, states, actions):
        self.sess.run(self.train_op, feed_dict={self.s: states, self.a: actions})  # expect: DP613

agent = DeepQNetwork(2)
agent.learn(np.zeros((32, 80, 80)), np.zeros((32, 2)))  # fixed: agent.learn(np.zeros((32, 80, 80, 4)), np.zeros((32, 2)))
