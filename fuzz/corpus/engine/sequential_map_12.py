def cheap(ds: tf.data.Dataset):
    ds = ds.map(lambda x, y: (y, x))
    ds = ds.map(lambda x: tf.cast(x, tf.float32))
    return ds.map(functools.partial(tf.reshape, shape=[-1]))
