import tensorflow as tf


def lines(path):
    return tf.data.TextLineDataset(path).skip(1)


def fires(pattern, names):
    files = tf.data.Dataset.list_files(pattern)
    a = files.flat_map(tf.data.TFRecordDataset)  # expect: DP106
    a = a.shuffle(100)
    b = files.flat_map(lambda name: tf.data.TFRecordDataset(name, compression_type="GZIP")).shuffle(9)  # expect: DP106
    c = tf.data.Dataset.from_tensor_slices(names).flat_map(lines)  # hint: DP106
    d = tf.data.TFRecordDataset(["a.tfrecord", "b.tfrecord"])  # expect: DP106
    d = d.map(tf.io.parse_tensor, num_parallel_calls=2).shuffle(10)
    e = tf.data.TFRecordDataset([n + ".tfrecord" for n in names], "GZIP")  # hint: DP106
    f = tf.data.TFRecordDataset(files)  # hint: DP106
    return a, b, c, d, e, f


def silent(pattern, names, x):
    files = tf.data.Dataset.list_files(pattern)
    a = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=4)
    b = tf.data.Dataset.from_tensors("one.tfrecord").flat_map(tf.data.TFRecordDataset)
    c = tf.data.Dataset.from_tensor_slices(["one.csv"]).flat_map(lines)
    d = tf.data.Dataset.from_tensor_slices(x).flat_map(tf.data.Dataset.from_tensor_slices)
    e = tf.data.TFRecordDataset(names)
    f = tf.data.Dataset.from_tensor_slices(x).window(5).flat_map(lambda w: w.batch(5))
    g = tf.data.TFRecordDataset(["a", "b"], num_parallel_reads=4)
    h = tf.data.TFRecordDataset(["a", "b"], "GZIP", None, 4)
    i = tf.data.TFRecordDataset(["a"])
    j = tf.data.TFRecordDataset(["a", "b"]).shuffle(10).take(3)
    return a, b, c, d, e, f, g, h, i, j
