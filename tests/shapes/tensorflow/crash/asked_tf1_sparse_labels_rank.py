# ValueError: Rank mismatch: Rank of labels (received 2) should equal rank of logits minus 1 (received 2).
import tensorflow as tf

class Model(object):
    def __init__(self, n_classes=5):
        self.x = tf.placeholder(tf.float32, [None, 30], name='x')
        self.y = tf.placeholder(tf.int32, [None, n_classes], name='y')  # fixed: self.y = tf.placeholder(tf.int32, [None], name='y')
        self.logits = self.inference(n_classes)
        self.loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=self.logits))  # expect: DP605

    def inference(self, n_classes):
        w = tf.get_variable('w', shape=[30, n_classes])
        return tf.matmul(self.x, w)

m = Model()
