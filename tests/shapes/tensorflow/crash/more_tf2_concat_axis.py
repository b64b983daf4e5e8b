# tensorflow 2: ConcatOp: expected an axis in [-2, 2), but got 2
import tensorflow as tf

a = tf.ones((4, 3))
b = tf.ones((4, 3))
c = tf.concat([a, b], axis=2)  # expect: DP604  # fixed: c = tf.concat([a, b], axis=1)
