# TypeError: Value passed to parameter 'input' has DataType bool not in list of allowed values
import tensorflow as tf
a = tf.constant([1, 2, 3])
b = tf.constant([1, 2, 4])
acc = tf.reduce_mean(tf.equal(a, b))  # expect: DP607 # fixed: acc = tf.reduce_mean(tf.cast(tf.equal(a, b), tf.float32))
