import tensorflow as tf

ROWS = 2000
COLUMNS = 30

values = tf.random.uniform((ROWS, COLUMNS), maxval=5, dtype=tf.int32, seed=1)


def mask_of(values):
    return tf.cast(tf.not_equal(values, 0), tf.int32)


mask = mask_of(values)
result = int(tf.reduce_sum(mask))
