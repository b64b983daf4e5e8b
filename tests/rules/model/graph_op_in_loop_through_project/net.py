import tensorflow as tf


class Net:
    def save(self, sess):
        tf.train.Saver().save(sess, "model")
