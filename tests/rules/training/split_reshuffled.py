import tensorflow as tf


def split(x, y, n):
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000)  # expect: DP946
    train = data.skip(n).batch(32).prefetch(1)
    valid = data.take(n).batch(32).prefetch(1)
    return train, valid


def with_a_seed(x, n):
    data = tf.data.Dataset.from_tensor_slices(x)
    data = data.shuffle(10_000, seed=1, reshuffle_each_iteration=True)  # expect: DP946
    return data.take(n).batch(32).prefetch(1), data.skip(n).batch(32).prefetch(1)


def decode(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (64, 64))


class Pictures:
    def __init__(self, pattern):
        self.files = tf.data.Dataset.list_files(pattern)  # expect: DP946
        self.valid = self.load(self.files.take(500))
        self.train = self.load(self.files.skip(500))

    def load(self, files):
        return files.map(decode, num_parallel_calls=tf.data.AUTOTUNE).batch(32).prefetch(1)


def folder(n):
    data = tf.keras.utils.image_dataset_from_directory("pictures")  # hint: DP946
    return data.take(n).prefetch(1), data.skip(n).prefetch(1)


def fixed_order(x, y, n):
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000, seed=1, reshuffle_each_iteration=False)
    return data.skip(n).shuffle(1000).batch(32).prefetch(1), data.take(n).batch(32).prefetch(1)


def in_order(pattern, n):
    files = tf.data.Dataset.list_files(pattern, shuffle=False)
    return files.skip(n).shuffle(1000).batch(2).prefetch(1), files.take(n).batch(2).prefetch(1)


def shuffled_after(x, n):
    data = tf.data.Dataset.from_tensor_slices(x)
    return data.skip(n).shuffle(1000).batch(2).prefetch(1), data.take(n).batch(2).prefetch(1)


def header(path):
    return tf.data.TextLineDataset(path).skip(1).shuffle(1000).batch(32).prefetch(1)


def only_skips(x, n):
    return tf.data.Dataset.from_tensor_slices(x).shuffle(1000).skip(n).batch(32).prefetch(1)
