# tensorflow 1: InvalidArgumentError: Expected dimension in the range [-1, 1), but got 1
import tensorflow as tf

y_pred = tf.constant([0.1, 0.9, 0.2])  # fixed: y_pred = tf.constant([[0.1, 0.9, 0.2]])
label = tf.argmax(y_pred, 1)  # expect: DP604
with tf.Session() as sess:
    print(sess.run(label))
