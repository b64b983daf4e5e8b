import tensorflow as tf
from tensorflow.keras import layers


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.drop = layers.Dropout(0.5)
        self.head = layers.Dense(10)

    def call(self, x, training=False):
        return self.head(self.drop(x, training=training))


class Engine:
    def __init__(self):
        self.model = Net()
        self.optimizer = tf.keras.optimizers.Adam(1e-3)

    def logits(self, x, **options):
        return self.model(x, **options)

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.logits(x) - y) ** 2)  # expect: DP853
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss

    @tf.function
    def evaluate(self, x, y):
        return tf.reduce_mean((self.logits(x) - y) ** 2)


class Told:
    def __init__(self):
        self.model = Net()
        self.optimizer = tf.keras.optimizers.Adam(1e-3)

    def logits(self, x, **options):
        return self.model(x, **options)

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.logits(x, training=True) - y) ** 2)
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss
