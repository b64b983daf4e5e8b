import tensorflow as tf


def block(x, training):
    x = tf.layers.conv2d(x, 8, 3, use_bias=False)
    x = tf.layers.batch_normalization(x, training=training)  # expect: DP854
    x = tf.layers.batch_normalization(x, training=True)
    return tf.layers.batch_normalization(x, training=training)


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 8, 8, 3])
        self.training = tf.placeholder_with_default(False, [])
        self.loss = tf.reduce_mean(block(self.x, self.training))
        self.train_op = tf.train.AdamOptimizer(1e-3).minimize(self.loss)
