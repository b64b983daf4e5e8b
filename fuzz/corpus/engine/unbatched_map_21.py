def scale_pair(x, y):
    return tf.cast(x, tf.float32) / 255.0, tf.one_hot(y, 10)
