import tensorflow as tf


def mean_auc(labels, predictions):
    value, update = tf.metrics.auc(labels, predictions)
    return value, update


def other(graph):
    with tf.Session(graph=graph) as session:
        session.run(tf.global_variables_initializer())


def main(make_model):
    estimator = make_model().make_estimator(metrics={"auc": mean_auc})
    estimator.train(steps=100)
