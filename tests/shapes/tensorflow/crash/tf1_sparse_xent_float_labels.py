# tensorflow 1: TypeError: Value passed to parameter 'labels' has DataType float32 not in list of allowed values: int32, int64
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 20])
labels = tf.placeholder(tf.float32, [None])  # fixed: labels = tf.placeholder(tf.int32, [None])
logits = tf.layers.dense(x, 5)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))  # expect: DP607
