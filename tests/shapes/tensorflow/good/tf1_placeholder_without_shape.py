import numpy as np
import tensorflow as tf

a = tf.placeholder(tf.float32)
b = tf.placeholder(tf.float32, [None, None])
c = tf.placeholder(tf.float32, shape=(None, 4))
with tf.Session() as sess:
    print(sess.run(a * 2, feed_dict={a: [1.0, 2.0]}))
    print(sess.run(b, feed_dict={b: np.zeros((3, 9))}))
    print(sess.run(tf.reduce_mean(c), feed_dict={c: np.zeros((7, 4)), a: 3}))
