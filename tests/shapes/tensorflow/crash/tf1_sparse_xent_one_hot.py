# tensorflow 1: ValueError: Rank mismatch: Rank of labels (received 2) should equal rank of logits minus 1 (received 2).
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 20])
labels = tf.placeholder(tf.int64, [None, 5])  # fixed: labels = tf.placeholder(tf.int64, [None])
logits = tf.layers.dense(x, 5)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))  # expect: DP605
train_op = tf.train.AdamOptimizer().minimize(loss)
