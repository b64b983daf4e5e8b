# tensorflow 2: ValueError: Python inputs incompatible with input_signature
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec(shape=[None, 128], dtype=tf.float32)])
def encode(x):
    return tf.reduce_mean(x, axis=1)


encode(tf.random.normal([4, 64]))  # expect: DP613 or DP602 or DP601  # fixed: encode(tf.random.normal([4, 128]))
