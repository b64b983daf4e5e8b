import tensorflow as tf

ROWS = 300
WIDTH = 8

rows = tf.random_uniform((ROWS, WIDTH), seed=1)


def similarity(rows):
    return tf.matmul(rows, rows, transpose_b=True)


with tf.Session() as sess:
    matrix = sess.run(similarity(rows))

result = matrix.shape[0]
