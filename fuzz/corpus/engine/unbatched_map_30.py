def augmented(ds: tf.data.Dataset):
    return ds.map(in_place, num_parallel_calls=AUTO).batch(32)
