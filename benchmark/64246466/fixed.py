import tensorflow as tf

POINTS = 2000
SIZE = 256

indices = tf.random.uniform((POINTS, 2), maxval=SIZE, dtype=tf.int32, seed=3)
values = tf.random.uniform((POINTS,), seed=4)


def fill(indices, values):
    grid = tf.zeros((SIZE, SIZE))
    return tf.tensor_scatter_nd_update(grid, indices, values)


grid = fill(indices, values)
result = float(tf.reduce_max(grid))
