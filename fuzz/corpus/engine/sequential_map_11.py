def applied(ds: tf.data.Dataset):
    def transform(inner):
        return inner.map(parse).prefetch(1)

    ds = ds.apply(transform)
    ds = ds.apply(tf.data.experimental.map_and_batch(parse, 32))
    ds = ds.apply(tf.data.experimental.map_and_batch(parse, 32, num_parallel_calls=1))
    return ds.apply(tf.data.experimental.map_and_batch(parse, 32, num_parallel_calls=4))
