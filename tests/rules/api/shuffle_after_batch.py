import tensorflow as tf


def fires(files, x):
    a = tf.data.TFRecordDataset(files).batch(32).shuffle(100)  # expect: DP104
    b = tf.data.Dataset.from_tensor_slices(x)
    b = b.padded_batch(8, padded_shapes=[None])
    b = b.map(lambda t: t + 1, num_parallel_calls=4)
    b = b.shuffle(1000)  # expect: DP104
    b = b.prefetch(1)
    return a, b


def silent(files, x, unknown):
    a = tf.data.TFRecordDataset(files).shuffle(1000).batch(32)
    b = tf.data.TFRecordDataset(files).shuffle(1000).batch(32).shuffle(10)
    # The batches are sequences of characters.
    c = tf.data.Dataset.from_tensor_slices(x).batch(101, drop_remainder=True).shuffle(10000).batch(64)
    d = tf.data.TFRecordDataset(files).batch(32).unbatch().shuffle(1000)
    e = tf.data.TFRecordDataset(files).shuffle(10).repeat()
    f = unknown.batch(3).shuffle(4)  # hint: DP104
    g = tf.data.TFRecordDataset(files).batch(32)
    g = g.flat_map(tf.data.Dataset.from_tensor_slices).shuffle(100)
    h = tf.data.TFRecordDataset(files).batch(1).shuffle(100)
    i = next(iter(tf.data.TFRecordDataset(files).batch(8).shuffle(100).take(1)))
    return a, b, c, d, e, f, g, h, i


def shuffles_if_wanted(files, shuffle):
    dataset = tf.data.TFRecordDataset(files)
    if shuffle:
        dataset = dataset.shuffle(100)
    dataset = dataset.batch(10)
    return dataset


def helper(dataset):
    return dataset.batch(2)


def through_a_helper(files):
    return helper(tf.data.TFRecordDataset(files)).shuffle(7)  # expect: DP104
