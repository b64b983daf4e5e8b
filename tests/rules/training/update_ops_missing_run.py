import tensorflow as tf
from tensorflow.contrib.layers import batch_norm


def block(x, training):
    x = tf.layers.batch_normalization(x, training=training)
    return batch_norm(x, is_training=training)


def train(x, training):
    loss = tf.reduce_mean(block(x, training))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return tf.train.AdamOptimizer(1e-3).minimize(loss)
