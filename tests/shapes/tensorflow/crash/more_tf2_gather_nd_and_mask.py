# tensorflow 2: Mul was expected to get a float tensor and gets int32
import tensorflow as tf

logits = tf.random.normal((8, 20, 100))
labels = tf.zeros((8, 20), dtype=tf.int32)
loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
mask = tf.cast(tf.not_equal(labels, 0), tf.int32)  # fixed: mask = tf.cast(tf.not_equal(labels, 0), tf.float32)
loss = tf.reduce_sum(loss * mask) / tf.reduce_sum(mask)  # expect: DP607
