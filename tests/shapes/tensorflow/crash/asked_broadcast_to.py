# InvalidArgumentError: Incompatible shapes: [5] vs. [3,4]
import tensorflow as tf
b = tf.broadcast_to(tf.zeros((5,)), (3, 4))  # expect: DP602 # fixed: b = tf.broadcast_to(tf.zeros((4,)), (3, 4))
