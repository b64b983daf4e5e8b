# TypeError: Value passed to parameter 'indices' has DataType float32
import tensorflow as tf
ids = tf.placeholder(tf.float32, [None, 20])  # fixed: ids = tf.placeholder(tf.int32, [None, 20])
table = tf.Variable(tf.random_uniform([1000, 64]))
e = tf.nn.embedding_lookup(table, ids)  # expect: DP607
