def assert_shape(x):
    x = tf.one_hot(x, 10)
    x.set_shape((None, 10))
    return x
