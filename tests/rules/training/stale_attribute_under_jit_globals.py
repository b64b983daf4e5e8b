import jax
import jax.numpy as jnp
import tensorflow as tf
from tensorflow import keras

BETA = 0.0
SCALE = 1.0
FIXED = 3.0
rate = 0.1
kl_weight = 0.0
weights = jnp.zeros(4)
debug = False


@jax.jit
def train_step(params, x):
    def objective(p):
        return jnp.sum(p * x) + BETA * jnp.sum(p**2)  # expect: DP851

    return params - jax.grad(objective)(params)


def penalty(p):
    return SCALE * jnp.sum(jnp.abs(p))  # expect: DP851


@jax.jit
def other_step(params, x):
    return jnp.sum(params * x) + penalty(params) + FIXED


@jax.jit
def predict(x):
    return x @ weights  # expect: DP851


@tf.function
def tf_step(x):
    return tf.reduce_mean(x) * kl_weight  # expect: DP851


@jax.jit
def evaluated_later(x):
    return x @ weights + FIXED


@jax.jit
def passed(params, x, rate):
    return params - rate * x


@jax.jit
def with_constant(x):
    return x if debug else x * FIXED


def set_scale(value):
    global SCALE
    SCALE = value


def main(params, batches, epochs):
    global BETA
    for epoch in range(epochs):
        BETA = min(1.0, epoch / 10)
        set_scale(epoch)
        for x in batches:
            params = train_step(params, x)
            other_step(params, x)
    return params


for step, batch in enumerate(batches):
    kl_weight = step / 1000
    rate = 0.1 * 0.99**step
    weights = passed(weights, jnp.ones(4), rate)
    tf_step(batch)
    predict(batch)


print(evaluated_later(jnp.ones(4)))


class Anneal(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.beta = min(1.0, epoch / 10)
        self.model.gamma.assign(0.5)

    def on_train_begin(self, logs=None):
        self.model.delta = 0.3


class Vae(keras.Model):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.beta = 0.0
        self.gamma = tf.Variable(0.0, trainable=False)
        self.delta = 0.1

    def train_step(self, data):
        with tf.GradientTape() as tape:
            z = self.encoder(data, training=True)
            loss = tf.reduce_mean((self.decoder(z, training=True) - data) ** 2)
            loss += self.beta * tf.reduce_mean(z**2) + self.gamma + self.delta  # expect: DP851
        grads = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        return {"loss": loss}
