# tensorflow 1: TypeError: Value passed to parameter 'indices' has DataType float32 not in list of allowed values: int32, int64
import tensorflow as tf

vocabulary_size, embedding_size = 50000, 128
train_inputs = tf.placeholder(tf.float32, shape=[64])  # fixed: train_inputs = tf.placeholder(tf.int32, shape=[64])
embeddings = tf.Variable(tf.random_uniform([vocabulary_size, embedding_size], -1.0, 1.0))
embed = tf.nn.embedding_lookup(embeddings, train_inputs)  # expect: DP607
