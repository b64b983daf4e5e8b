def plain(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(parse)
    return ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
