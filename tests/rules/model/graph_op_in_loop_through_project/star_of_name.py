from has_name import *


def train(session, loss, steps):
    for _ in range(steps):
        session.run(tf.reduce_mean(loss))  # expect: DP201
