import tensorflow as tf

data = tf.data.Dataset.range(10_000).shuffle(1000).batch(32).prefetch(1)


def train(step, steps):
    for _ in range(steps):
        step(next(iter(data)))  # expect: DP124


class Trainer:
    def __init__(self, dataset: tf.data.Dataset):
        self.dataset = dataset

    def sample(self):
        return next(iter(self.dataset))  # expect: DP124

    def run(self, step, steps):
        for _ in range(steps):
            step(self.sample())


def once(step, steps):
    batches = iter(data.repeat())
    for _ in range(steps):
        step(next(batches))
    print(next(iter(data)))


def another_each_time(step, files):
    for name in files:
        records = tf.data.TFRecordDataset(name).batch(32).prefetch(1)
        step(next(iter(records)))


Trainer(data).run(print, 1000)
