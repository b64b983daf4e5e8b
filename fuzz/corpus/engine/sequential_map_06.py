def parameter_without_annotation(ds, training):
    if training:
        ds = ds.shuffle(1000)
    ds = ds.map(parse)
    return ds.batch(8).prefetch(1)
