import tensorflow as tf


def train(batches):
    x = tf.placeholder(tf.float32, [None, 4])
    loss = tf.reduce_mean(tf.layers.dense(x, 1) ** 2)
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in batches:
            feed = {x: batch}
            sess.run(train_op, feed_dict=feed)  # hint: DP108
            value = sess.run(loss, feed_dict=feed)  # expect: DP119
            print(value)


def train_once(batches):
    x = tf.placeholder(tf.float32, [None, 4])
    loss = tf.reduce_mean(tf.layers.dense(x, 1) ** 2)
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in batches:
            _, value = sess.run([train_op, loss], feed_dict={x: batch})  # hint: DP108
            print(value)


def gan(batches):
    x = tf.placeholder(tf.float32, [None, 4])
    d_loss = tf.reduce_mean(tf.layers.dense(x, 1) ** 2)
    g_loss = tf.reduce_mean(tf.layers.dense(x, 2) ** 2)
    d_op = tf.train.AdamOptimizer(1e-3).minimize(d_loss)
    g_op = tf.train.AdamOptimizer(1e-3).minimize(g_loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in batches:
            feed = {x: batch}
            sess.run(d_op, feed_dict=feed)  # hint: DP108
            sess.run(g_op, feed_dict=feed)  # hint: DP108


def other_feeds(sess: tf.Session, x, loss, batches, others):
    for batch, other in zip(batches, others):
        a = sess.run(loss, feed_dict={x: batch})
        b = sess.run(loss, feed_dict={x: other})
        print(a, b)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.sess = tf.Session()

    def step(self, x):
        feed = {self.model.x: x}
        self.sess.run(self.model.train_op, feed_dict=feed)
        return self.sess.run(self.model.loss, feed_dict=feed)  # expect: DP119

    def show(self, x):
        feed = {self.model.x: x}
        print(self.sess.run(self.model.logits, feed_dict=feed))
        return self.sess.run(self.model.loss, feed_dict=feed)

    def train(self, batches):
        for x in batches:
            self.step(x)
