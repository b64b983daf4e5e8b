# tensorflow: equal takes tensors of one dtype, but gets int64 and int32: TensorFlow does not promote
import tensorflow as tf


def accuracy(logits, labels):
    pred = tf.argmax(logits, axis=1)
    correct = tf.equal(pred, labels)  # expect: DP607  # fixed: correct = tf.equal(pred, tf.cast(labels, tf.int64))
    return tf.reduce_mean(tf.cast(correct, tf.float32))


logits = tf.random.normal([32, 10])
labels = tf.random.uniform([32], 0, 10, dtype=tf.int32)
print(accuracy(logits, labels))
