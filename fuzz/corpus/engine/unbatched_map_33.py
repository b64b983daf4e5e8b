def parse_one(record):
    return tf.io.parse_single_example(record, {"x": tf.io.FixedLenFeature([], tf.float32)})
