# tensorflow 2: matmul of [4, 10, 32] and [32, 10, 4] has batches of 4 and 32
import tensorflow as tf


class SelfAttention(tf.keras.layers.Layer):
    def __init__(self, d):
        super().__init__()
        self.wq = tf.keras.layers.Dense(d)
        self.wk = tf.keras.layers.Dense(d)
        self.wv = tf.keras.layers.Dense(d)

    def call(self, x):
        q, k, v = self.wq(x), self.wk(x), self.wv(x)
        att = tf.nn.softmax(tf.matmul(q, tf.transpose(k)))  # expect: DP602  # fixed: att = tf.nn.softmax(tf.matmul(q, tf.transpose(k, [0, 2, 1])))
        return tf.matmul(att, v)


y = SelfAttention(32)(tf.random.normal((4, 10, 8)))
