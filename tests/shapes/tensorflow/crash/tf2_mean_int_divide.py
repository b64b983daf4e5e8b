# tensorflow 2: TypeError: `x` and `y` must have the same dtype, got tf.float32 != tf.int32.
import tensorflow as tf

total = tf.reduce_sum(tf.constant([1.0, 2.0, 3.0]))
count = tf.reduce_sum(tf.constant([1, 1, 1]))
mean = total / count  # expect: DP607  # fixed: mean = total / tf.cast(count, tf.float32)
