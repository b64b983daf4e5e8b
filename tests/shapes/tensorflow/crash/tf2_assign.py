# tensorflow 2: ValueError: Cannot assign value to variable 'Variable:0': Shape mismatch. The variable shape (3, 3), and the assigned value shape (3, 4) are incompatible.
import tensorflow as tf

v = tf.Variable(tf.eye(3))
v.assign(tf.ones((3, 4)))  # expect: DP602  # fixed: v.assign(tf.ones((3, 3)))
