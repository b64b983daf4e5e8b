# tensorflow 1: input y of Mul has type float32 that does not match int32 of x
import tensorflow as tf

x = tf.Variable(3, name='x')
y = tf.Variable(4.0, name='y')
f = x * x * y + y + 2  # expect: DP607  # fixed: f = tf.to_float(x) * tf.to_float(x) * y + y + 2
