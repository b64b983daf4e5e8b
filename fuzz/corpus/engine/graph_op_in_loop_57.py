def features(names):
    return {name: tf.io.FixedLenFeature([], tf.string) for name in names}
