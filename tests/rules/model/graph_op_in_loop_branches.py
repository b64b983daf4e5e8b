"""Branches that exclude each other, and code that is switched off."""
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def score(path):
    with tf1.Session() as session:  # hint: DP202
        return session.run("pool:0", {"in:0": path})


def sample(step):
    return tf.ones((1, step)) * 2


def main(setting, steps, session, loss):
    for step in range(steps):
        if setting == "sample":
            print(sample(step))
        elif setting == "score":
            print(score("%d" % step))
    for step in range(steps):
        if setting == "sample":
            print(sample(step))  # expect: DP201
        else:
            print(score("%d" % step))
        print(session.run(loss))
    for step in range(steps):
        if step % 2:
            print(sample(step))  # expect: DP201
        else:
            print(session.run(loss))


def switched_off(session, loss, steps):
    if False:
        for _ in range(steps):
            print(session.run(tf.reduce_mean(loss)))
    for _ in range(steps):
        if True:
            print(session.run(tf.reduce_mean(loss)))  # expect: DP201
        else:
            print(session.run(tf.reduce_max(loss)))


def numbers_and_remainders(session, loss, steps):
    every = 30
    for step in range(steps):
        if 0:
            print(session.run(tf.reduce_mean(loss)))
        if step % every == 450:
            print(session.run(tf.reduce_mean(loss)))
        if step % 30 == 29:
            print(session.run(tf.reduce_mean(loss)))  # expect: DP201
        print(session.run(loss))


def ended(session, loss, steps):
    print(session.run(loss))
    exit()
    for _ in range(steps):
        print(session.run(tf.reduce_mean(loss)))
