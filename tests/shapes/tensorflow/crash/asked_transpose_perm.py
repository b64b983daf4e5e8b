# ValueError: Dimension must be 4 but is 3 for 'transpose'
import tensorflow as tf
x = tf.zeros((8, 28, 28, 3))
y = tf.transpose(x, [0, 2, 1])  # expect: DP604 # fixed: y = tf.transpose(x, [0, 2, 1, 3])
