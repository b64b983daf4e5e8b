import tensorflow as tf


class Evaluation:
    def __init__(self, labels, scores):
        self.auc, self.update = tf.metrics.auc(labels, scores)  # expect: DP952

    def run(self, session):
        session.run(self.update)
        return session.run(self.auc)


def main():
    labels = tf.placeholder(tf.float32, [None])
    weight = tf.Variable(1.0)
    evaluation = Evaluation(labels, tf.sigmoid(labels * weight))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        print(evaluation.run(session))


main()
