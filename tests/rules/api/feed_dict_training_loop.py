import numpy as np
import tensorflow.compat.v1 as tf

x = tf.placeholder(tf.float32, [None, 10])
rate = tf.placeholder(tf.float32)
loss = tf.reduce_mean(x)
train = tf.train.AdamOptimizer(rate).minimize(loss)


def fires(sess, data, batches):
    for batch in batches:
        sess.run(train, feed_dict={x: batch})  # hint: DP108
    for i in range(len(data)):
        feed = {x: data[i], rate: 0.1}
        _, value = sess.run([train, loss], feed_dict=feed)  # hint: DP108
    with tf.Session() as session:
        for batch in batches:
            session.run([train, loss], {x: batch})  # hint: DP108


class Model:
    def fit(self, sess, batches):
        for batch in batches:
            sess.run(self.train_op, feed_dict={self.x: batch})  # hint: DP108


def silent(sess, batches, steps):
    for i in range(steps):
        sess.run(train)
    for i in range(steps):
        sess.run(train, feed_dict={rate: 0.5})
    for batch in batches:
        sess.run(loss, feed_dict={x: batch})
    sess.run(train, feed_dict={x: np.zeros((1, 10))})
