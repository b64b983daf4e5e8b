# tensorflow: sparse_softmax_cross_entropy_with_logits takes one class index for each row of logits, but gets labels [7] for logits [8, 10]
import tensorflow as tf
logits = tf.random.normal([8, 10])
labels = tf.constant([1, 2, 3, 4, 5, 6, 7])  # fixed: labels = tf.constant([1, 2, 3, 4, 5, 6, 7, 8])
print(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))  # expect: DP605
