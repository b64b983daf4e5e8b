# ValueError: Dimension size must be evenly divisible by 3 but is 10
import tensorflow as tf
x = tf.zeros((4, 10))
a, b, c = tf.split(x, 3, axis=1)  # expect: DP602 or DP603 or DP611 # fixed: a, b = tf.split(x, 2, axis=1)
