import tensorflow as tf


class Pipeline:
    def __init__(self, pattern, size):
        self.pattern = pattern
        self.size = size

    def records(self):
        files = tf.data.Dataset.list_files(self.pattern)
        return files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)

    def mixed(self, ds):
        return ds.shuffle(10000)  # expect: DP104

    def batched(self, ds):
        return ds.batch(self.size)

    def wrong(self):
        return self.mixed(self.batched(self.records())).prefetch(tf.data.AUTOTUNE)


class InOrder:
    def __init__(self, pattern, size):
        self.pattern = pattern
        self.size = size

    def mixed(self, ds):
        return ds.shuffle(10000)

    def batched(self, ds):
        return ds.batch(self.size)

    def right(self):
        files = tf.data.Dataset.list_files(self.pattern)
        ds = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)
        return self.batched(self.mixed(ds)).prefetch(tf.data.AUTOTUNE)
