import tensorflow as tf

ROWS = 300
WIDTH = 8

rows = tf.random_uniform((ROWS, WIDTH), seed=1)


def similarity(rows):
    return tf.map_fn(lambda a: tf.map_fn(lambda b: tf.reduce_sum(a * b, axis=-1), rows), rows)


with tf.Session() as sess:
    matrix = sess.run(similarity(rows))

result = matrix.shape[0]
