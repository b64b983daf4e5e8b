import tensorflow as tf

COUNT = 5000

limits = tf.random.uniform((COUNT,), minval=1, maxval=100, dtype=tf.int32, seed=1)


def draw(limits):
    fractions = tf.random.uniform(limits.shape)
    return tf.cast(fractions * tf.cast(limits, tf.float32), tf.int32)


numbers = draw(limits)
result = bool(tf.reduce_all(numbers < limits))
