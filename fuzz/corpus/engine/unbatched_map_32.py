def other_orders(ds: tf.data.Dataset):
    a = ds.map(scale, num_parallel_calls=AUTO).batch(1)
    b = ds.map(scale, num_parallel_calls=AUTO).padded_batch(32)
    c = ds.map(scale, num_parallel_calls=AUTO).filter(lambda x: x > 0).batch(32)
    d = ds.map(scale, num_parallel_calls=AUTO).window(5).flat_map(lambda w: w.batch(5))
    e = ds.map(lambda x, y: (y, x), num_parallel_calls=AUTO).batch(32)
    f = ds.map(scale, num_parallel_calls=AUTO).unbatch().batch(32)
    return a, b, c, d, e, f
