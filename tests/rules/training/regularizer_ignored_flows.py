import tensorflow as tf
from tensorflow.keras import layers, regularizers

PENALTY = regularizers.l2(1e-4)


class Block(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.dense = layers.Dense(units, kernel_regularizer=PENALTY)

    def call(self, x):
        return tf.nn.relu(self.dense(x))


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(64) for _ in range(3)]
        self.head = layers.Dense(10)

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def plain():
    return tf.keras.Sequential([layers.Dense(64, activation="relu"), layers.Dense(10)])


loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


class Trainer:
    def __init__(self, model, other):
        self.model = model
        self.other = other
        self.optimizer = tf.keras.optimizers.Adam()

    def compute_loss(self, x, y):
        return loss_fn(y, self.model(x, training=True))

    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y)
        weights = self.model.trainable_weights
        grads = tape.gradient(loss, weights)  # expect: DP917
        self.optimizer.apply_gradients(zip(grads, weights))

    @tf.function
    def other_step(self, x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, self.other(x, training=True))
        weights = self.other.trainable_weights
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))


trainer = Trainer(Net(), plain())
