import tensorflow as tf


def plain(path):
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, path)
        sess.run(tf.global_variables_initializer())  # expect: DP855


def resumed(path):
    saver = tf.train.Saver()
    init = tf.global_variables_initializer()
    sess = tf.Session()
    if path:
        saver.restore(sess, path)
        print("resumed")
    sess.run(init)  # expect: DP855
    return sess


def grouped(path):
    saver = tf.train.Saver()
    sess = tf.Session()
    saver.restore(sess, path)
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])  # expect: DP855
    return sess


class Model:
    def __init__(self, path):
        self.sess = tf.Session()
        self.init_op = tf.group(tf.global_variables_initializer(), tf.tables_initializer())
        self.saver = tf.train.Saver()
        self.saver.restore(self.sess, path)
        self.sess.run(self.init_op)  # expect: DP855


def right(path):
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saver.restore(sess, path)


def either(path):
    saver = tf.train.Saver()
    with tf.Session() as sess:
        if path:
            saver.restore(sess, path)
        else:
            sess.run(tf.global_variables_initializer())


def left(path):
    saver = tf.train.Saver()
    sess = tf.Session()
    if path:
        saver.restore(sess, path)
        return sess
    sess.run(tf.global_variables_initializer())
    return sess


def local(path):
    saver = tf.train.Saver()
    sess = tf.Session()
    saver.restore(sess, path)
    sess.run(tf.local_variables_initializer())
    return sess


def restored_again(path):
    saver = tf.train.Saver()
    sess = tf.Session()
    saver.restore(sess, path)
    sess.run(tf.global_variables_initializer())
    saver.restore(sess, path)
    return sess


def another(path):
    saver = tf.train.Saver()
    sess = tf.Session()
    saver.restore(sess, path)
    fresh = tf.Session()
    fresh.run(tf.global_variables_initializer())
    return sess, fresh
