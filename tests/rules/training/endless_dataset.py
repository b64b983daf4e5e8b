import tensorflow as tf


def parse(record):
    features = {"x": tf.io.FixedLenFeature([3], tf.float32), "y": tf.io.FixedLenFeature([1], tf.float32)}
    example = tf.io.parse_example(record, features)
    return example["x"], example["y"]


def records(files):
    data = tf.data.TFRecordDataset(files, num_parallel_reads=4).shuffle(1000)
    return data.batch(32).map(parse, num_parallel_calls=tf.data.AUTOTUNE)


def arrays(x, y):
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).repeat().batch(32).prefetch(1)


class Trainer:
    def __init__(self, files):
        self.train_data = records(files).repeat().prefetch(2)
        self.valid_data = records(files).repeat(-1).prefetch(2)
        self.model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        self.model.compile(optimizer="adam", loss="mse")

    def train(self):
        self.model.fit(self.train_data, epochs=10, steps_per_epoch=100, validation_data=self.valid_data)  # expect: DP945

    def train_well(self):
        self.model.fit(
            self.train_data, epochs=10, steps_per_epoch=100, validation_data=self.valid_data, validation_steps=5
        )

    def evaluate(self):
        print(self.model.evaluate(self.valid_data))  # expect: DP945
        print(self.model.evaluate(self.valid_data, steps=10))
        return self.model.predict(self.valid_data.take(20))


def fit(x, y, **options):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(arrays(x, y), epochs=5)  # expect: DP945
    model.fit(arrays(x, y), epochs=5, steps_per_epoch=20)
    model.fit(arrays(x, y), epochs=5, **options)
    model.fit(arrays(x, y).take(20), epochs=5)
    model.fit(records(["a"]).repeat(5).prefetch(1), epochs=5)
    return model


def perhaps_endless(x, y, training):
    data = tf.data.Dataset.from_tensor_slices((x, y))
    if training:
        data = data.repeat()
    data = data.batch(32).prefetch(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(data, epochs=5)


@tf.function
def step(x, y):
    return tf.reduce_sum(x) + tf.reduce_sum(y)


def loop(x, y, epochs):
    data = arrays(x, y)
    for epoch in range(epochs):
        for images, labels in data:  # expect: DP945
            step(images, labels)
        print(epoch)


def loop_with_limit(x, y, steps):
    for i, (images, labels) in enumerate(arrays(x, y)):
        step(images, labels)
        if i == steps:
            break
    for images, labels in arrays(x, y).take(steps):
        step(images, labels)
    print("done")


def forever(x, y):
    for images, labels in arrays(x, y):
        step(images, labels)
