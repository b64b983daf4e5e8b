# tensorflow 2: InvalidArgumentError: cannot compute MatMul as input #1(zero-based) was expected to be a double tensor but is a float tensor [Op:MatMul]
import numpy as np
import tensorflow as tf

data = tf.convert_to_tensor(np.random.rand(20, 6))  # fixed: data = tf.convert_to_tensor(np.random.rand(20, 6), dtype=tf.float32)
w = tf.Variable(tf.random.normal([6, 3]))
y = tf.matmul(data, w)  # expect: DP607
