import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE
BUFFER = 50_000


def read(path):
    return tf.io.decode_jpeg(tf.io.read_file(path), channels=3)


def load(path, label):
    return tf.image.resize(read(path), [224, 224]), label


def only_read(path, label):
    return tf.io.read_file(path), label


def after_decoding(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    ds = ds.map(load, num_parallel_calls=AUTOTUNE)
    ds = ds.shuffle(buffer_size=len(paths), reshuffle_each_iteration=True)  # expect: DP189
    return ds.batch(32).prefetch(AUTOTUNE)


def in_a_chain(paths, labels):
    return (
        tf.data.Dataset.from_tensor_slices((paths, labels))
        .map(lambda path, label: (read(path), label), num_parallel_calls=AUTOTUNE)
        .shuffle(BUFFER)  # expect: DP189
        .batch(32)
        .prefetch(AUTOTUNE)
    )


def counted(paths, labels):
    count = len(paths)
    ds = tf.data.Dataset.from_tensor_slices((paths, labels))
    ds = ds.map(load, num_parallel_calls=AUTOTUNE).shuffle(count)  # expect: DP189
    return ds.batch(32).prefetch(AUTOTUNE)


class Images:
    def __init__(self, paths, labels):
        self.paths, self.labels = paths, labels

    def load(self, path, label):
        return read(path), label

    def pipeline(self):
        ds = tf.data.Dataset.from_tensor_slices((self.paths, self.labels))
        ds = ds.map(self.load, num_parallel_calls=AUTOTUNE)
        ds = ds.shuffle(len(self.paths))  # expect: DP189
        return ds.batch(32).prefetch(AUTOTUNE)


def before_decoding(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).shuffle(len(paths))
    return ds.map(load, num_parallel_calls=AUTOTUNE).batch(32).prefetch(AUTOTUNE)


def small_buffer(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).map(load, num_parallel_calls=AUTOTUNE)
    return ds.shuffle(1000).batch(32).prefetch(AUTOTUNE)


def cached(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).map(load, num_parallel_calls=AUTOTUNE).cache()
    return ds.shuffle(len(paths)).batch(32).prefetch(AUTOTUNE)


def encoded(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).map(only_read, num_parallel_calls=AUTOTUNE)
    return ds.shuffle(len(paths)).batch(32).prefetch(AUTOTUNE)


def few(paths, labels):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).take(5).map(load, num_parallel_calls=AUTOTUNE)
    return ds.shuffle(len(paths)).batch(1).prefetch(AUTOTUNE)


def told(paths, labels, size):
    ds = tf.data.Dataset.from_tensor_slices((paths, labels)).map(load, num_parallel_calls=AUTOTUNE)
    return ds.shuffle(size).batch(32).prefetch(AUTOTUNE)
