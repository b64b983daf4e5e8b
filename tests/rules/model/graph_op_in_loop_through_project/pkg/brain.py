import tensorflow as tf


class Brain:
    def __init__(self):
        self.targets = tf.get_collection("targets")
        self.values = tf.get_collection("values")
        self.session = tf.Session()

    def learn(self):
        self.session.run([tf.assign(t, v) for t, v in zip(self.targets, self.values)])


class Trainer:
    def __init__(self, net):
        self.net = net

    def train(self, steps, op):
        with tf.Session() as sess:
            for _ in range(steps):
                sess.run(op)
                self.net.save(sess)  # expect: DP201
