# tensorflow 2: InvalidArgumentError: cannot compute Equal as input #1(zero-based) was expected to be a int64 tensor but is a int32 tensor [Op:Equal]
import tensorflow as tf


def accuracy(logits, labels):
    predicted = tf.argmax(logits, axis=1)
    return tf.reduce_mean(tf.cast(tf.equal(predicted, labels), tf.float32))  # expect: DP607


logits = tf.random.normal([16, 10])
labels = tf.random.uniform([16], maxval=10, dtype=tf.int32)  # fixed: labels = tf.random.uniform([16], maxval=10, dtype=tf.int64)
print(accuracy(logits, labels))
