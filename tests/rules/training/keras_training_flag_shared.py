import tensorflow as tf
from tensorflow.keras import layers


def build(width):
    inputs = tf.keras.Input((width,))
    x = layers.Dense(64, use_bias=False)(inputs)
    x = layers.BatchNormalization()(x)
    return tf.keras.Model(inputs, layers.Dense(1)(layers.Dropout(0.3)(x)))


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam()
        self.losses = tf.keras.metrics.Mean()

    def run(self, x, y):
        predicted = self.model(x)  # expect: DP853
        return predicted, tf.reduce_mean((predicted - y) ** 2)

    @tf.function
    def train_step(self, x, y):
        with tf.GradientTape() as tape:
            _, loss = self.run(x, y)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))

    @tf.function
    def test_step(self, x, y):
        _, loss = self.run(x, y)
        self.losses.update_state(loss)


class Told:
    def __init__(self, model):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam()

    def run(self, x, y, training):
        return tf.reduce_mean((self.model(x, training=training) - y) ** 2)

    def score(self, x, y):
        return tf.reduce_mean((self.model(x) - y) ** 2)

    @tf.function
    def train_step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.run(x, y, True)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        return self.score(x, y)


class Saliency:
    def __init__(self, model):
        self.model = model

    def top(self, x):
        return tf.reduce_max(self.model(x), axis=-1)

    def gradient(self, x):
        with tf.GradientTape() as tape:  # hint: DP212
            tape.watch(x)
            score = self.top(x)
        return tape.gradient(score, x)


trainer = Trainer(build(8))
told = Told(build(8))
saliency = Saliency(build(8))


def train(train_ds: tf.data.Dataset, test_ds: tf.data.Dataset):
    for x, y in train_ds:
        trainer.train_step(x, y)
        told.train_step(x, y)
    for x, y in test_ds:
        trainer.test_step(x, y)
        saliency.gradient(x)
