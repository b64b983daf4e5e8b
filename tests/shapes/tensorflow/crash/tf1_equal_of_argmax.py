# tensorflow 1: TypeError: Input 'y' of 'Equal' Op has type int32 that does not match type int64 of argument 'x'.
import tensorflow as tf

logits = tf.placeholder(tf.float32, [None, 10])
labels = tf.placeholder(tf.int32, [None])  # fixed: labels = tf.placeholder(tf.int64, [None])
correct = tf.equal(tf.argmax(logits, 1), labels)  # expect: DP607
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
