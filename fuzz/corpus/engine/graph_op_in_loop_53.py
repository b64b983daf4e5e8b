def makes_loss(x):
    return tf.reduce_mean(tf.square(x))
