def records(files):
    ds = tf.data.TFRecordDataset(files)
    return ds.map(parse_one, num_parallel_calls=AUTO).batch(32)
