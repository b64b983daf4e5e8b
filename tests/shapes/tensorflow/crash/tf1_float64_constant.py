# tensorflow 1: TypeError: Input 'b' of 'MatMul' Op has type float32 that does not match type float64 of argument 'a'.
import numpy as np
import tensorflow as tf

data = np.random.rand(50, 4)
X = tf.constant(data)  # fixed: X = tf.constant(data, dtype=tf.float32)
W = tf.Variable(tf.random_normal([4, 1]))
y = tf.matmul(X, W)  # expect: DP607
