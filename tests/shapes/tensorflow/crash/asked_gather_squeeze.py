# ValueError: Can not squeeze dim[1], expected a dimension of 1, got 4
import tensorflow as tf
q = tf.random.normal((32, 4))
v = tf.squeeze(q, axis=1)  # expect: DP604 or DP603 or DP602 # fixed: v = tf.squeeze(q[:, :1], axis=1)
