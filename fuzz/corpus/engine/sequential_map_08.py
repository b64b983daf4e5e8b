def parameter_that_callers_tell(thing):
    return thing.map(parse)


caller = parameter_that_callers_tell(tf.data.TFRecordDataset("x"))
