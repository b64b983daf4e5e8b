import tensorflow as tf

BATCH = 1000
LENGTH = 50

values = tf.random.uniform((BATCH, LENGTH), seed=1)
positions = tf.random.uniform((BATCH, 8), maxval=LENGTH, dtype=tf.int32, seed=2)


def pick(values, positions):
    return tf.map_fn(lambda pair: tf.gather(pair[0], pair[1]), (values, positions), fn_output_signature=tf.float32)


picked = pick(values, positions)
result = float(tf.reduce_sum(picked))
