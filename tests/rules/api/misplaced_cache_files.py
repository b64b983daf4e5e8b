import tensorflow as tf


class Mel:
    def __init__(self, samples):
        self.samples = samples

    def features(self, path, label):
        audio, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_samples=self.samples)
        return tf.abs(tf.signal.stft(audio[:, 0], 512, 160)), label

    def build(self, files, labels, training):
        ds = tf.data.Dataset.from_tensor_slices((files, labels))
        ds = ds.cache()  # expect: DP105
        ds = ds.map(self.features, num_parallel_calls=tf.data.AUTOTUNE)
        if training:
            ds = ds.shuffle(10_000)
        return ds.batch(64).prefetch(tf.data.AUTOTUNE)


def decode(path):
    return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path), channels=3), (224, 224)) / 255.0


def pictures(paths):
    return (
        tf.data.Dataset.from_tensor_slices(paths)
        .cache()  # expect: DP105
        .map(decode, num_parallel_calls=tf.data.AUTOTUNE)
        .batch(32)
        .prefetch(tf.data.AUTOTUNE)
    )


def shuffled(paths):
    names = tf.data.Dataset.from_tensor_slices(paths).cache()  # expect: DP105
    ds = names.shuffle(10_000).map(lambda path: decode(path), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(32).prefetch(tf.data.AUTOTUNE)


# ---- clean --------------------------------------------------------------------------------------------------------


def cached_after(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(decode, num_parallel_calls=tf.data.AUTOTUNE).cache()
    return ds.shuffle(1000).batch(32).prefetch(tf.data.AUTOTUNE)


def raw_bytes(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(tf.io.read_file, num_parallel_calls=tf.data.AUTOTUNE).cache()
    ds = ds.map(lambda data: tf.io.decode_jpeg(data, channels=3), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(1).prefetch(tf.data.AUTOTUNE)


def listed(pattern):
    ds = tf.data.Dataset.list_files(pattern, shuffle=False).cache()
    return ds.map(decode, num_parallel_calls=tf.data.AUTOTUNE).batch(32).prefetch(tf.data.AUTOTUNE)


def augmented(paths):
    ds = tf.data.Dataset.from_tensor_slices(paths).map(decode, num_parallel_calls=tf.data.AUTOTUNE).cache()
    ds = ds.map(lambda x: tf.image.random_flip_left_right(x), num_parallel_calls=tf.data.AUTOTUNE)
    return ds.batch(32).prefetch(tf.data.AUTOTUNE)


def arrays(x, y):
    ds = tf.data.Dataset.from_tensor_slices((x, y)).cache()  # hint: DP105
    return ds.shuffle(1000).batch(32).prefetch(tf.data.AUTOTUNE)
