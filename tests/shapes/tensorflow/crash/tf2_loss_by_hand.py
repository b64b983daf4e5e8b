# tensorflow 2: ValueError: Dimension mismatch: logits [16,5], labels [16,5] sparse
import tensorflow as tf


@tf.function(jit_compile=True)
def step(x, labels, w):
    logits = tf.matmul(x, w)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))  # expect: DP605


x = tf.random.normal([16, 20])
w = tf.Variable(tf.random.normal([20, 5]))
labels = tf.one_hot(tf.random.uniform([16], maxval=5, dtype=tf.int32), 5, dtype=tf.int32)  # fixed: labels = tf.random.uniform([16], maxval=5, dtype=tf.int32)
step(x, labels, w)
