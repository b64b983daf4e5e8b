"""Branches that a call excludes by what it passes."""
import tensorflow.compat.v1 as tf


class Model:
    def __init__(self, loss):
        self.loss = loss
        self.train_op = tf.train.AdamOptimizer().minimize(loss)

    def step(self, session, mode="train"):
        op = self.train_op if mode == "train" else tf.no_op()
        return session.run([op, self.loss])

    def evaluate(self, session, scale=None, verbose=False):
        if verbose:
            print(session.run(tf.shape(self.loss)))
        if scale is not None:
            return session.run(self.loss * scale + tf.zeros([]))
        return session.run(self.loss)

    def measure(self, session, fast):
        if fast:
            return session.run(self.loss)
        return session.run(tf.reduce_mean(self.loss))

    def changed(self, session, fast=True):
        fast = fast and self.loss is None
        return session.run(self.loss) if fast else session.run(tf.reduce_mean(self.loss))


def deeper(model, session, mode):
    return model.step(session, mode)


def main(losses, steps):
    model = Model(losses)
    with tf.Session() as session:
        for _ in range(steps):
            model.step(session)
            model.step(session, "train")
            model.step(session, mode="test")  # expect: DP201
            model.step(session, *losses)  # expect: DP201
            model.evaluate(session)
            model.evaluate(session, verbose=True)  # expect: DP201
            model.evaluate(session, 0.5)  # expect: DP201
            model.measure(session, True)
            model.measure(session, False)  # expect: DP201
            model.changed(session)  # expect: DP201
            deeper(model, session, "train")  # expect: DP201


def guarded_in_another_branch(x, flag, mode):
    if flag:
        if mode == "train":
            return 1
    else:
        return tf.matmul(x, x)
    return 0


def bound_by_an_import(x, mode="train"):
    from settings import mode

    if mode == "test":
        return tf.matmul(x, x)
    return 0


def numbered(x, number):
    if number == 16:
        return 0
    return tf.matmul(x, x)


def more(x, flag, session, steps):
    for _ in range(steps):
        session.run(guarded_in_another_branch(x, flag, "train"))  # expect: DP201
        session.run(bound_by_an_import(x))  # expect: DP201
        session.run(numbered(x, 0x10))
        session.run(numbered(x, 17))  # expect: DP201
