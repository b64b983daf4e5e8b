import tensorflow as tf


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)


def load(path, label):
    return decode(path), label


def sharded(paths, count, index):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.shard(count, index)  # expect: DP176
    return ds.batch(32).prefetch(tf.data.AUTOTUNE)


def split(paths, labels, size):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    ds = ds.map(load, num_parallel_calls=tf.data.AUTOTUNE).prefetch(4)
    valid = ds.take(size).batch(32).prefetch(tf.data.AUTOTUNE)
    train = ds.skip(size).shuffle(100).batch(32).prefetch(tf.data.AUTOTUNE)  # expect: DP176
    return train, valid


def by_lambda(paths, index):
    ds = tf.data.Dataset.from_tensor_slices(paths)
    ds = ds.map(lambda path: tf.image.resize(decode(path), (64, 64)), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.shard(num_shards=4, index=index).batch(8).prefetch(1)  # expect: DP176


def right(paths, labels, size, index, raw):
    first = tf.data.Dataset.from_tensor_slices(paths).shard(8, index)
    first = first.map(decode, num_parallel_calls=tf.data.AUTOTUNE).batch(8).prefetch(1)
    second = tf.data.Dataset.from_tensor_slices(paths).map(decode, num_parallel_calls=tf.data.AUTOTUNE).cache()
    second = second.skip(size).batch(8).prefetch(1)
    third = tf.data.Dataset.from_tensor_slices(raw).map(tf.io.read_file, num_parallel_calls=tf.data.AUTOTUNE)
    third = third.skip(size).batch(8).prefetch(1)
    fourth = tf.data.Dataset.from_tensor_slices(paths).map(decode, num_parallel_calls=tf.data.AUTOTUNE)
    fourth = fourth.skip(1).batch(8).prefetch(1)
    fifth = raw.skip(size)
    return first, second, third, fourth, fifth, labels
