def branches(ds: tf.data.Dataset, training):
    if training:
        ds = ds.map(scale, num_parallel_calls=AUTO)
    else:
        ds = ds.batch(32)
    return ds

