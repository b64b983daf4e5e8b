# ValueError: Dimensions must be equal, but are 3 and 2 for 'mul'
import tensorflow as tf
a = tf.placeholder(tf.float32, shape=[3])
b = tf.placeholder(tf.float32, shape=[2])  # fixed: b = tf.placeholder(tf.float32, shape=[3])
add = a + b  # expect: DP602
with tf.Session() as sess:
    print(sess.run(add, feed_dict={a: [1, 2, 3], b: [1, 2]}))  # fixed: print(sess.run(add, feed_dict={a: [1, 2, 3], b: [1, 2, 4]}))
