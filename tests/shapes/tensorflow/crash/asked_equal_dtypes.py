# TypeError: Input 'y' of 'Equal' Op has type int32 that does not match type int64 of argument 'x'.
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 10])
y = tf.placeholder(tf.int32, [None])
logits = tf.layers.dense(x, 5)
correct = tf.equal(tf.argmax(logits, 1), y)  # expect: DP607 # fixed: correct = tf.equal(tf.argmax(logits, 1), tf.cast(y, tf.int64))
acc = tf.reduce_mean(tf.cast(correct, tf.float32))
