# ValueError: Shape of a new variable or value is not compatible: assign [10, 5] to a variable of [5, 10]
import tensorflow as tf

v = tf.Variable(tf.zeros([5, 10]))
new = tf.random_normal([10, 5])
op = tf.assign(v, new)  # expect: DP602 # fixed: op = tf.assign(v, tf.transpose(new))
