def scale(x):
    return tf.cast(x, tf.float32) / 255.0
