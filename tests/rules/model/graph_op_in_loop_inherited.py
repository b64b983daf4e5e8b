"""Loops over what a derived class does, and over methods of a parameter that is called like its class."""
import tensorflow as tf


class Trainer:
    def step(self, i):
        """To be filled in."""
        raise NotImplementedError

    def log(self, i):
        pass

    def train(self, steps):
        for i in range(steps):
            self.step(i)  # expect: DP201
            self.log(i)


class Counting(Trainer):
    def __init__(self, sess):
        self.sess = sess
        self.v = tf.Variable(0.0)

    def step(self, i):
        self.sess.run(self.v.assign(i))

    def log(self, i):
        print(i)


class Runner:
    def step(self, i):
        raise NotImplementedError

    def train(self, steps):
        for i in range(steps):
            self.step(i)


class Good(Runner):
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32)
        self.assign = tf.Variable(0.0).assign(self.x)

    def step(self, i):
        self.sess.run(self.assign, {self.x: i})


class QNet:
    def __init__(self, sess):
        self.sess = sess
        self.v = tf.Variable(0.0)
        self.x = tf.placeholder(tf.float32)
        self.assign = self.v.assign(self.x)

    def update_target(self, i):
        self.sess.run(self.v.assign(i))

    def update_well(self, i):
        self.sess.run(self.assign, {self.x: i})


def train(q_net, steps):
    for i in range(steps):
        q_net.update_target(i)  # expect: DP201
    for i in range(steps):
        q_net.update_well(i)


def train_other(network, steps):
    for i in range(steps):
        network.update_target(i)


def shuffled(images, count, classes):
    parts = []
    for k in range(count):
        indices = tf.range(0, classes)  # expect: DP201
        indices = tf.random_shuffle(indices)
        parts.append(tf.gather(images, indices))
    return parts


def accumulated(images, count, classes):
    parts = []
    for k in range(count):
        indices = tf.range(0, classes)
        for image in images:
            indices = tf.gather(image, indices)
        parts.append(indices)
    return parts
