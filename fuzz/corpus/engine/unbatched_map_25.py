def vectorisable(x, y):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    a = ds.map(scale, num_parallel_calls=AUTO).batch(32)
    b = ds.map(scale_pair, num_parallel_calls=AUTO).shuffle(10).repeat().batch(32)
    c = ds.map(lambda v: tf.math.sqrt(v), num_parallel_calls=AUTO).shuffle(9).batch(32).prefetch(1)
    d = ds.map(features, num_parallel_calls=AUTO).batch(32)
    e = ds.map(helper, num_parallel_calls=AUTO).batch(32)
    f = ds.map(functools.partial(scale), num_parallel_calls=AUTO).batch(batch_size=32)
    return a, b, c, d, e, f
