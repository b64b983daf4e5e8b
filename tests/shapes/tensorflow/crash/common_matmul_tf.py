# tensorflow: matmul of [16, 10] and [20, 10] is invalid: 10 columns meet 20 rows
import tensorflow as tf
x = tf.random.normal([16, 10])
w = tf.Variable(tf.random.normal([20, 10]))  # fixed: w = tf.Variable(tf.random.normal([10, 20]))
print(tf.matmul(x, w))  # expect: DP602
