# tensorflow 2: InvalidArgumentError: Expected multiples argument to be a vector of length 3 but got length 2 [Op:Tile]
import tensorflow as tf

x = tf.ones([4, 1, 16])
y = tf.tile(x, [1, 10])  # expect: DP604  # fixed: y = tf.tile(x, [1, 10, 1])
