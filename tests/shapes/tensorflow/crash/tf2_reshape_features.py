# tensorflow 2: InvalidArgumentError: Input to reshape is a tensor with 25088 values, but the requested shape has 32768
import tensorflow as tf


def flatten_patches(features):
    batch = 2
    return tf.reshape(features, [batch, 256, 64])  # expect: DP603  # fixed: return tf.reshape(features, [batch, 196, 64])


feature_map = tf.zeros([2, 14, 14, 64])
tokens = flatten_patches(feature_map)
