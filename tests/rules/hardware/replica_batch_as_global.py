import argparse
from dataclasses import dataclass

import tensorflow as tf

BATCH_PER_REPLICA = 64
strategy = tf.distribute.MirroredStrategy()


@dataclass
class Config:
    batch_per_replica: int = 64
    batch_size: int = 256


class Experiment:
    def __init__(self, config, strategy):
        self.config = config
        self.size = config.batch_per_replica
        self.whole = config.batch_per_replica * strategy.num_replicas_in_sync

    def train(self, files):
        return tf.data.TFRecordDataset(files).batch(self.size, drop_remainder=True)  # expect: DP526

    def good(self, files):
        return tf.data.TFRecordDataset(files).batch(self.whole, drop_remainder=True)

    def fixed(self, files):
        return tf.data.TFRecordDataset(files).batch(self.config.batch_size, drop_remainder=True)


def plain(files):
    return tf.data.TFRecordDataset(files).batch(BATCH_PER_REPLICA)  # expect: DP526


def with_options(files):
    parser = argparse.ArgumentParser()
    parser.add_argument("--per_gpu_batch_size", type=int, default=32)
    args = parser.parse_args()
    good = tf.data.TFRecordDataset(files).batch(args.per_gpu_batch_size * strategy.num_replicas_in_sync)
    return good, make(files, args.per_gpu_batch_size)


def make(files, size):
    return tf.data.TFRecordDataset(files).batch(size)  # expect: DP526


SETTINGS = {"per_device_batch": 16, "batch": 128}


def from_dict(files):
    a = tf.data.TFRecordDataset(files).batch(SETTINGS["per_device_batch"])  # expect: DP526
    b = tf.data.TFRecordDataset(files).batch(SETTINGS["batch"])
    return a, b


def arrays(x, y):
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
    model.fit(x, y, batch_size=BATCH_PER_REPLICA)  # expect: DP526
    model.fit(x, y, batch_size=BATCH_PER_REPLICA * strategy.num_replicas_in_sync)
    global_size = BATCH_PER_REPLICA * strategy.num_replicas_in_sync
    model.fit(x, y, batch_size=global_size)


Experiment(Config(), strategy).train(["a"])
