# tensorflow 2: InvalidArgumentError: cannot compute Mul as input #1(zero-based) was expected to be a int32 tensor but is a float tensor [Op:Mul]
import tensorflow as tf

counts = tf.constant([1, 2, 3])
prices = tf.constant([0.5, 1.5, 2.0])
total = counts * prices  # expect: DP607  # fixed: total = tf.cast(counts, tf.float32) * prices
print(tf.reduce_sum(total))
