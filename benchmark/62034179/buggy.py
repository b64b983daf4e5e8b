import tensorflow as tf

COUNT = 5000

limits = tf.random.uniform((COUNT,), minval=1, maxval=100, dtype=tf.int32, seed=1)


def draw(limits):
    return tf.stack([tf.random.uniform((), maxval=limit, dtype=tf.int32) for limit in limits])


numbers = draw(limits)
result = bool(tf.reduce_all(numbers < limits))
