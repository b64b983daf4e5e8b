# TypeError: Value passed to parameter 'indices' has DataType float32 not in list of allowed values: uint8, int32, int64
import tensorflow as tf
labels = tf.constant([0.0, 1.0, 2.0])
h = tf.one_hot(labels, 3)  # expect: DP607 # fixed: h = tf.one_hot(tf.cast(labels, tf.int32), 3)
