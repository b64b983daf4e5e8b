import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.layers.dense(self.x, 2)
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())  # expect: DP961
        self.train = tf.train.AdamOptimizer().minimize(tf.reduce_mean(self.y))
