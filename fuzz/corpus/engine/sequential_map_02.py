def given_in_other_ways(paths, options):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(parse, 8)
    ds = ds.map(parse, **options)
    ds = ds.map(*options)
    ds = ds.interleave(tf.data.TFRecordDataset, 4, 1, 8)
    ds = ds.map(parse, num_parallel_calls=options.threads)
    return ds
