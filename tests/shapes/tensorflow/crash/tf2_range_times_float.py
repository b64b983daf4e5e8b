# tensorflow 2: InvalidArgumentError: cannot compute Mul as input #1(zero-based) was expected to be a int32 tensor but is a float tensor
import tensorflow as tf

positions = tf.range(128)  # fixed: positions = tf.range(128, dtype=tf.float32)
freq = tf.exp(tf.linspace(0.0, 1.0, 64))
angles = positions[:, tf.newaxis] * freq[tf.newaxis, :]  # expect: DP607
table = tf.concat([tf.sin(angles), tf.cos(angles)], axis=-1)
