import time

import tensorflow.compat.v1 as tf

x = tf.placeholder(tf.float32)
y = x * 2


def fires(images):
    for image in images:
        with tf.Session() as sess:  # hint: DP202
            sess.run(y, {x: image})
    while True:
        sess = tf.InteractiveSession()  # hint: DP202
        sess.run(y, {x: 1})


def predict(image, graph):
    with graph.as_default():
        with tf.Session() as sess:  # hint: DP202
            return sess.run(y, {x: image})


def caller(images, graph):
    for image in images:
        predict(image, graph)


def evaluate_once(saver, path):
    with tf.Session() as sess:
        saver.restore(sess, path)
        return sess.run(y, {x: 1})


def train(data):
    with tf.Session() as sess:
        for step in range(1000):
            sess.run(y, {x: step})


def make_session():
    return tf.Session()  # hint: DP202


class Model:
    def __init__(self):
        self.sess = tf.Session()


def silent(images, configs, graphs, saver):
    with tf.Session() as sess:
        for image in images:
            sess.run(y, {x: image})
    for config in configs:
        train(config)
        make_session()
        Model()
    for config in configs:
        with tf.Graph().as_default(), tf.Session() as sess:
            sess.run(tf.constant(config))
    for graph in graphs:
        with tf.Session(graph=graph) as sess:
            sess.run(y)
    for config in configs:
        with tf.Session() as sess:
            for image in images:
                sess.run(y, {x: image})
    while True:
        evaluate_once(saver, "path")
        time.sleep(60)
    for i in range(3):
        with tf.Session() as sess:
            sess.run(y)
