def quoted(ds: "tf.data.Dataset"):
    return ds.map(parse)
