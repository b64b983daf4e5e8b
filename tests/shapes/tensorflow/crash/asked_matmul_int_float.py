# InvalidArgumentError: cannot compute MatMul as input #1 was expected to be a int32 tensor but is a float tensor
import tensorflow as tf

a = tf.constant([[1, 2, 3], [4, 5, 6]])  # fixed: a = tf.constant([[1., 2, 3], [4, 5, 6]])
w = tf.random.normal((3, 2))
print(tf.matmul(a, w))  # expect: DP607
