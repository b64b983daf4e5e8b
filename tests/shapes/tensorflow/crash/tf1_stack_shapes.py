# tensorflow 1: ValueError: Shapes must be equal rank, but are 1 and 2. From merging shape 0 with other shapes. for 'stack'
import tensorflow as tf

x = tf.constant([1, 4])
y = tf.constant([[2, 5]])  # fixed: y = tf.constant([2, 5])
z = tf.constant([3, 6])
s = tf.stack([x, y, z])  # expect: DP602 or DP604
