def parameter_with_annotation(ds: tf.data.Dataset):
    return ds.map(parse)
