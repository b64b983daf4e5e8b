"""A TensorFlow 1 training loop that adds to its graph."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def network(x, units):
    hidden = tf.layers.dense(x, units, activation=tf.nn.relu)
    return tf.layers.dense(hidden, 10)


def accuracy_of(logits, labels):
    return tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))


def batches(count):
    for _ in range(count):
        yield np.random.rand(32, 784), np.random.randint(0, 10, 32)


def train(steps, summaries, resume):
    x = tf.placeholder(tf.float32, [None, 784])
    y = tf.placeholder(tf.int64, [None])
    logits = network(x, 128)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    step_op = tf.train.AdamOptimizer().minimize(loss)
    with tf.Session() as sess:
        if resume:
            tf.train.Saver().restore(sess, "model.ckpt")
        else:
            sess.run(tf.global_variables_initializer())
        for step, (images, labels) in enumerate(batches(steps)):
            sess.run(step_op, feed_dict={x: images, y: labels})
            if step % 10 == 0:
                accuracy = accuracy_of(logits, y)
                print(sess.run(accuracy, feed_dict={x: images, y: labels}))
            if summaries:
                saver = tf.train.Saver()
                saver.save(sess, "model.ckpt")
            else:
                sess.run(tf.no_op())


def predict(paths):
    for path in paths:
        with tf.Session() as sess:
            saver = tf.train.import_meta_graph(path + ".meta")
            saver.restore(sess, path)


if __name__ == "__main__":
    train(1000, False, False)
    predict(["a", "b"])
