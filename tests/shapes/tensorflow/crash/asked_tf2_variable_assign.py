# ValueError: Cannot assign value to variable: Shape mismatch. The variable shape (3, 3), and the assigned value shape (3,) are incompatible.
import tensorflow as tf

w = tf.Variable(tf.eye(3))
g = tf.constant([1.0, 2.0, 3.0])
w.assign(g)  # expect: DP602 # fixed: w.assign(tf.linalg.diag(g))
