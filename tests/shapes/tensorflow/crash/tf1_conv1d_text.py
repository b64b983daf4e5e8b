# tensorflow 1: ValueError: Dimensions must be equal, but are 128 and 1 for 'Conv2D'
import tensorflow as tf

sequence_length, embedding_size, num_filters = 56, 128, 100
input_x = tf.placeholder(tf.int32, [None, sequence_length])
W = tf.Variable(tf.random_uniform([18000, embedding_size], -1.0, 1.0))
embedded = tf.nn.embedding_lookup(W, input_x)
embedded_expanded = tf.expand_dims(embedded, -1)
filter_shape = [3, embedding_size, 2, num_filters]  # fixed: filter_shape = [3, embedding_size, 1, num_filters]
Wf = tf.Variable(tf.truncated_normal(filter_shape, stddev=0.1))
conv = tf.nn.conv2d(embedded_expanded, Wf, strides=[1, 1, 1, 1], padding="VALID")  # expect: DP601 or DP602
pooled = tf.nn.max_pool(conv, ksize=[1, sequence_length - 3 + 1, 1, 1], strides=[1, 1, 1, 1], padding='VALID')
