# InvalidArgumentError: cannot compute MatMul as input #1(zero-based) was expected to be a double tensor but is a float tensor
import numpy as np
import tensorflow as tf
data = np.random.rand(20, 4)
x = tf.convert_to_tensor(data)  # fixed: x = tf.convert_to_tensor(data, dtype=tf.float32)
w = tf.Variable(tf.random.normal([4, 2]))
y = x @ w  # expect: DP607
