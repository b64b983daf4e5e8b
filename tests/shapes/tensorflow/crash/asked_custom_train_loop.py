# InvalidArgumentError: Incompatible shapes: [16,1] vs. [16,4]
import numpy as np
import tensorflow as tf

class Critic(tf.keras.Model):
    def __init__(self, n_actions):
        super().__init__()
        self.h = tf.keras.layers.Dense(32, 'relu')
        self.q = tf.keras.layers.Dense(n_actions)

    def call(self, s):
        return self.q(self.h(s))

critic = Critic(4)
states = tf.convert_to_tensor(np.zeros((16, 8), np.float32))
onehot = tf.one_hot(np.zeros(16, np.int32), 3)  # fixed: onehot = tf.one_hot(np.zeros(16, np.int32), 4)
with tf.GradientTape() as tape:
    q = tf.reduce_sum(critic(states) * onehot, axis=1)  # expect: DP602
