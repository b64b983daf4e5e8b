# tensorflow 1: TypeError: Input 'y' of 'Add' Op has type float32 that does not match type int32 of argument 'x'.
import tensorflow as tf

a = tf.placeholder(tf.int32)
b = tf.constant([1.5, 2.5])
total = tf.add(a, b)  # expect: DP607  # fixed: total = tf.add(tf.cast(a, tf.float32), b)
with tf.Session() as sess:
    print(sess.run(total, feed_dict={a: 3}))
