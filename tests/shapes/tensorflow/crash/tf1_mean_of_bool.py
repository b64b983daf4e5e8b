# tensorflow 1: TypeError: Value passed to parameter 'input' has DataType bool not in list of allowed values
import tensorflow as tf

logits = tf.placeholder(tf.float32, [None, 10])
labels = tf.placeholder(tf.float32, [None, 10])
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
accuracy = tf.reduce_mean(correct)  # expect: DP607  # fixed: accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
