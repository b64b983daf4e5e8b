import tensorflow as tf

HEIGHT = 100
WIDTH = 80


def coordinates(count):
    indices = tf.range(count)
    return tf.stack([indices // WIDTH, indices % WIDTH], axis=1)


grid = coordinates(HEIGHT * WIDTH)
result = int(tf.reduce_max(grid))
