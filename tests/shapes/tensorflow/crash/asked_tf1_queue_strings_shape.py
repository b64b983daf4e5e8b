# ValueError: Dimension 0 in both shapes must be equal, but are 3 and 4
import tensorflow as tf

a = tf.constant([1.0, 2.0, 3.0])
b = tf.constant([[1.0, 2.0, 3.0, 4.0]])
c = tf.constant([5.0, 6.0, 7.0, 8.0])
s = tf.stack([a, c])  # expect: DP602 # fixed: s = tf.stack([b[0], c])
with tf.Session() as sess:
    print(sess.run(s))
