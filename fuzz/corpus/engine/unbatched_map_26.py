def batched_first(x):
    ds = tf.data.Dataset.from_tensor_slices(x).batch(32)
    return ds.map(scale, num_parallel_calls=AUTO)
