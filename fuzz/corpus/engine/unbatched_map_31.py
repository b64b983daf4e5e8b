def cached(ds: tf.data.Dataset):
    return ds.map(scale, num_parallel_calls=AUTO).cache().batch(32)
