def recursive(x, n):
    for i in range(n):
        recursive(x, i)
    return tf.square(x)
