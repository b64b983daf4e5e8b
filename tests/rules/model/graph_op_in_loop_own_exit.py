"""A function of the project that is called like one that ends the program."""
import tensorflow.compat.v1 as tf


def exit(message):
    print(message)


def train(session, loss, steps):
    exit("starting")
    for step in range(steps):
        if session.run(tf.reduce_sum(loss)) % 3 == 5:  # expect: DP201
            print(session.run(loss))
        print(session.run(tf.reduce_mean(loss)))  # expect: DP201
