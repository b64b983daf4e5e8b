"""How long loops are, and what a session fetches."""
import numpy as np
import tensorflow as tf
from tqdm import tqdm

y = tf.placeholder(tf.float32, [None, 4])
logits = tf.nn.softmax(y)
total = tf.Variable(0.0)


def counted_from_one(sess, batches):
    for step, batch in enumerate(batches, 1):
        print(step, sess.run(tf.round(y), {y: batch}))  # expect: DP201
    for step, batch in enumerate(tqdm(batches), 0):
        print(step, sess.run(tf.round(y), {y: batch}))  # expect: DP201
    for step, batch in enumerate([1, 2, 3], 100):
        print(step, sess.run(tf.round(y), {y: batch}))


def along_an_axis(sess, rows, weights):
    for i in range(rows.shape[0]):
        print(sess.run(tf.matmul(rows[i], weights)))  # expect: DP201
    for i in range(1, np.shape(rows)[0] // 32):
        print(sess.run(tf.matmul(rows[i], weights)))  # expect: DP201
    for axis in range(len(rows.shape)):
        print(sess.run(tf.reduce_sum(rows, axis)))
    for axis in range(rows.ndim):
        print(sess.run(tf.reduce_sum(rows, axis)))


def unrolled(x, weights):
    outputs = []
    for i in range(x.shape[1]):
        outputs.append(tf.matmul(x[:, i], tf.sqrt(weights)))  # expect: DP201
    return outputs


def operators(sess, batches):
    for batch in batches:
        print(sess.run(-logits, {y: batch}))  # expect: DP201
        print(sess.run([logits > 0.5], {y: batch}))  # expect: DP201 # hint: DP119
        print(sess.run(logits, {y: batch}) > 0.5)


def snapshots(sess, steps):
    for _ in range(steps):
        print(sess.run(total.value()))
        print(sess.run(total.read_value()))  # expect: DP201


def with_progress(session, loss, steps):
    from tqdm import tqdm_notebook
    import tqdm

    for _ in tqdm_notebook(range(10)):
        print(session.run(tf.reduce_mean(loss)))
    for _ in tqdm.tqdm(range(10)):
        print(session.run(tf.reduce_mean(loss)))
    for _ in tqdm.tqdm(range(1000)):
        print(session.run(tf.reduce_mean(loss)))  # expect: DP201
