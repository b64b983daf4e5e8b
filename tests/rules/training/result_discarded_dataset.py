import tensorflow as tf


def load(paths):
    data = tf.data.Dataset.from_tensor_slices(paths)
    data.shuffle(1000)  # expect: DP891
    data.batch(32)  # expect: DP891
    return data.prefetch(1)


class Data:
    def __init__(self, x):
        self.data = tf.data.Dataset.from_tensor_slices(x).batch(4)
        self.data.prefetch(tf.data.AUTOTUNE)  # expect: DP891
        self.data = self.data.prefetch(tf.data.AUTOTUNE)


def right(paths):
    data = tf.data.Dataset.from_tensor_slices(paths)
    data = data.shuffle(1000)
    data.save("folder")
    return data.batch(32).prefetch(1)
