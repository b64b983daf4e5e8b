import tensorflow as tf

BATCH = 1000
LENGTH = 50

values = tf.random.uniform((BATCH, LENGTH), seed=1)
positions = tf.random.uniform((BATCH, 8), maxval=LENGTH, dtype=tf.int32, seed=2)


def pick(values, positions):
    return tf.gather(values, positions, batch_dims=1)


picked = pick(values, positions)
result = float(tf.reduce_sum(picked))
