import tensorflow as tf

HEIGHT = 100
WIDTH = 80


def coordinates(count):
    indices = tf.range(count)
    rows = []
    for index in indices:
        rows.append(tf.stack([index // WIDTH, index % WIDTH]))
    return tf.stack(rows)


grid = coordinates(HEIGHT * WIDTH)
result = int(tf.reduce_max(grid))
