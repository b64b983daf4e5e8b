import tensorflow as tf


class Trainer:
    def __init__(self, config):
        self.config = config

    def beta(self, step: int) -> float:
        return self.config.top * min(1.0, step / self.config.warmup)

    @tf.function
    def update(self, images, beta):
        return tf.reduce_mean(images) * beta

    def run(self, data: tf.data.Dataset):
        for step, images in enumerate(data):
            self.update(images, self.beta(step))  # expect: DP207
            self.update(images, tf.constant(self.beta(step)))


Trainer(None).run(tf.data.Dataset.range(10_000).batch(4).prefetch(1))
