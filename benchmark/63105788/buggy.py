import tensorflow as tf

ROWS = 2000
COLUMNS = 30

values = tf.random.uniform((ROWS, COLUMNS), maxval=5, dtype=tf.int32, seed=1)


def mask_of(values):
    flat = tf.reshape(values, [-1])
    mask = tf.map_fn(lambda v: tf.cast(tf.not_equal(v, 0), tf.int32), flat)
    return tf.reshape(mask, values.shape)


mask = mask_of(values)
result = int(tf.reduce_sum(mask))
