# tensorflow 1: ValueError: Cannot reshape a tensor with 12 elements to shape [5,3] (15 elements)
import tensorflow as tf

t = tf.constant([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
m = tf.reshape(t, [5, 3])  # expect: DP603  # fixed: m = tf.reshape(t, [4, 3])
with tf.Session() as sess:
    print(sess.run(m))
