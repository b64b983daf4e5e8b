# InvalidArgumentError: Shapes of all inputs must match
import tensorflow as tf
rows = [tf.zeros((3, 4)), tf.zeros((2, 4))]  # fixed: rows = [tf.zeros((3, 4)), tf.zeros((3, 4))]
t = tf.stack(rows)  # expect: DP602
