# tensorflow 2: InvalidArgumentError: Value for attr 'Tindices' of float is not in the list of allowed values: int32, int64
import tensorflow as tf

table = tf.random.normal([100, 8])
ids = tf.random.uniform([5], maxval=100)  # fixed: ids = tf.random.uniform([5], maxval=100, dtype=tf.int32)
rows = tf.gather(table, ids)  # expect: DP607
