import math

import tensorflow as tf

HIGHEST = 4.0
WARM_UP = 20_000


class Fitter:
    def __init__(self):
        self.model = tf.keras.Sequential([tf.keras.layers.Dense(8)])
        self.low = 0.1

    @tf.function
    def step(self, x, weight):
        return tf.reduce_mean(self.model(x)) * weight

    def weight_at(self, step):
        return HIGHEST * min(1.0, step / WARM_UP)

    def cosine_at(self, step):
        part = step / WARM_UP
        return self.low + 0.5 * (1 + math.cos(math.pi * part))

    def tensor_at(self, step):
        return tf.constant(HIGHEST) * step

    def fixed(self):
        return HIGHEST / WARM_UP

    def fit(self, data):
        for step, x in enumerate(data):
            self.step(x, self.weight_at(step))  # expect: DP207
            self.step(x, weight=self.cosine_at(step=step))  # expect: DP207
            self.step(x, self.tensor_at(step))
            self.step(x, tf.constant(self.weight_at(step)))
            self.step(x, self.fixed())


def fit(path):
    Fitter().fit(tf.data.TFRecordDataset(path).map(tf.io.decode_raw, num_parallel_calls=8).batch(32).prefetch(8))  # expect: DP102
