def chain(pattern):
    return (tf.data.Dataset.list_files(pattern)
            .shuffle(100)
            .interleave(tf.data.TFRecordDataset)
            .map(
                parse,
            )
            .batch(32)
            .prefetch(1))
