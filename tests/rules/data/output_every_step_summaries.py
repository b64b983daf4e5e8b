import tensorflow.compat.v1 as tf


def build(x):
    hidden = tf.layers.dense(x, 8)
    loss = tf.reduce_mean(hidden)
    tf.summary.histogram("hidden", hidden)
    tf.summary.scalar("loss", loss)
    return tf.train.AdamOptimizer().minimize(loss), tf.summary.merge_all()


def train(x, steps):
    train_op, merged = build(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter("logs", sess.graph)
        for step in range(steps):
            _, summary = sess.run([train_op, merged])
            writer.add_summary(summary, step)  # expect: DP405


def train_sometimes(x, steps):
    train_op, merged = build(x)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        writer = tf.summary.FileWriter("logs", sess.graph)
        for step in range(steps):
            if step % 500 == 0:
                _, summary = sess.run([train_op, merged])
                writer.add_summary(summary, step)
            else:
                sess.run(train_op)
