def nested(files):
    def read(file):
        return tf.data.TFRecordDataset(file).map(parse)

    return files.interleave(read, num_parallel_calls=8).batch(4).prefetch(2)
