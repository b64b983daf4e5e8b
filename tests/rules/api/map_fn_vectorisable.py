import tensorflow as tf


def scale(row):
    return tf.cast(row, tf.float32) / 255.0


def fires(x, y):
    a = tf.map_fn(lambda row: tf.sqrt(row) * 2.0, x)  # expect: DP113
    b = tf.map_fn(scale, x, dtype=tf.float32)  # expect: DP113
    c = tf.map_fn(lambda row: tf.reduce_sum(row, axis=0), x)  # expect: DP113
    return a, b, c


def silent(x, names, unknown, options):
    a = tf.map_fn(lambda name: tf.io.decode_jpeg(tf.io.read_file(name)), names, dtype=tf.uint8)
    b = tf.map_fn(lambda row: tf.random.shuffle(row), x)
    c = tf.map_fn(unknown, x)
    d = tf.map_fn(lambda row: unknown(row), x)
    e = tf.vectorized_map(scale, x)
    f = tf.map_fn(scale, **options)
    g = tf.map_fn(lambda row: tf.unique(row)[0], x)
    return a, b, c, d, e, f, g
