import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

user = tf.placeholder(tf.int32, [None])
item = tf.placeholder(tf.int32, [None])
score = tf.cast(user + item, tf.float32)


def errors(sess: tf.Session, frame: pd.DataFrame):
    found = []
    for u, i, rating in frame[["user", "item", "rating"]].itertuples(index=False):
        found.append(sess.run(score, feed_dict={user: [u], item: [i]}) - rating)  # expect: DP110
    return found


def pairs(sess: tf.Session, users, items):
    found = []
    for u, i in zip(users, items):
        found.append(sess.run(score, {user: [u], item: [i]}))  # expect: DP110
    return found


def arrays(sess: tf.Session):
    found = []
    for row in np.load("rows.npy"):
        found.append(sess.run(score, {user: [row]}))  # expect: DP110
    return found


def images(sess: tf.Session, paths, read):
    found = []
    for path in paths:
        found.append(sess.run(score, {user: [read(path)]}))  # hint: DP110
    return found


def batches(sess: tf.Session, users):
    return [sess.run(score, {user: users[i : i + 64]}) for i in range(0, len(users), 64)]


def by_index(sess: tf.Session, matrix):
    found = []
    for i in range(len(matrix)):
        found.append(sess.run(score, {user: matrix[i : i + 1]}))  # expect: DP110
    return found
