import tensorflow as tf

ROWS = 10000
WIDTH = 16

points = tf.random.uniform((ROWS, WIDTH), seed=1)
center = tf.reduce_mean(points, axis=0)


def distance(point):
    return tf.sqrt(tf.reduce_sum(tf.square(point - center), axis=-1))


distances = tf.map_fn(distance, points)
result = float(tf.reduce_mean(distances))
