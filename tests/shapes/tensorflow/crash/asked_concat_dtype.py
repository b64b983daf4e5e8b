# InvalidArgumentError: cannot compute ConcatV2 as input #1 was expected to be a float tensor but is a int32 tensor
import tensorflow as tf
a = tf.zeros((2, 3))
b = tf.constant([[1, 2], [3, 4]])
c = tf.concat([a, b], axis=1)  # expect: DP607 # fixed: c = tf.concat([a, tf.cast(b, tf.float32)], axis=1)
