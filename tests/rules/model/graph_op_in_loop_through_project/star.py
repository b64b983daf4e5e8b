"""Gets `tf` with all else that another file binds."""
from names import *


def train(session, rate, loss, steps):
    for step in range(steps):
        if step % 100 == 0:
            session.run(tf.assign(rate, 0.1 / step))  # expect: DP201
        session.run(loss)
