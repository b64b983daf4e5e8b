"""A custom training loop in TensorFlow 2."""
import numpy as np
import tensorflow as tf


class Model(tf.keras.Model):
    def __init__(self, units):
        super().__init__()
        self.first = tf.keras.layers.Dense(units, activation="relu")
        self.second = tf.keras.layers.Dense(1)

    def call(self, x, training=False):
        hidden = self.first(x)
        if training:
            hidden = tf.nn.dropout(hidden, 0.5)
        return self.second(hidden)


model = Model(32)
optimizer = tf.keras.optimizers.Adam(1e-3)
losses = []


@tf.function
def train_step(x, y, scale):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y)) * scale
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def normalised(x):
    values = x.numpy()
    return np.mean(values) + tf.reduce_mean(x)


def train(dataset, epochs, debug):
    if debug:
        tf.config.run_functions_eagerly(True)
    for epoch in range(epochs):
        for step, (x, y) in enumerate(dataset):
            loss = train_step(x, y, step)
            losses.append(loss.numpy())
            tf.summary.histogram("loss", loss, step=step)


def predict(images):
    results = []
    for image in images:
        results.append(model.predict(np.expand_dims(image, 0)))
    return results
