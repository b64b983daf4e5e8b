import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import tensorflow as tf
from tensorflow.keras import layers


class Critic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.body = layers.Dense(64, activation="tanh")
        self.value = layers.Dense(1)

    def call(self, x):
        return self.value(self.body(x))


class Both(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.body = layers.Dense(64, activation="tanh")
        self.policy = layers.Dense(4)
        self.value = layers.Dense(1)

    def call(self, x):
        h = self.body(x)
        return self.policy(h), tf.squeeze(self.value(h), axis=-1)


SIGNATURE = [tf.TensorSpec([None, 8], tf.float32), tf.TensorSpec([None], tf.float32)]
COLUMNS = [tf.TensorSpec([None, 8], tf.float32), tf.TensorSpec([None, 1], tf.float32)]
critic, both = Critic(), Both()


@tf.function(input_signature=SIGNATURE)
def wrong(states, returns):
    return tf.reduce_mean((returns - critic(states)) ** 2)  # expect: DP971


@tf.function(input_signature=COLUMNS)
def columns(states, returns):
    return tf.reduce_mean((returns - critic(states)) ** 2)


@tf.function(input_signature=SIGNATURE)
def squeezed(states, returns):
    _, values = both(states)
    return tf.reduce_mean((returns - values) ** 2) + tf.reduce_mean((returns - critic(states)[:, 0]) ** 2)


def unknown(states, returns):
    return tf.reduce_mean((returns - critic(states)) ** 2)


def discounted(rewards):
    out = np.zeros(len(rewards), np.float32)
    total = 0.0
    for t in reversed(range(len(rewards))):
        total = rewards[t] + 0.99 * total
        out[t] = total
    return out


class Value(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(64)(x)))


class Scalar(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(64)(x)))[..., 0]


value, scalar = Value(), Scalar()


def value_loss(params, obs, rewards):
    returns = discounted(rewards)
    wide = optax.l2_loss(value.apply(params, obs), jnp.asarray(returns))  # expect: DP971
    good = optax.l2_loss(scalar.apply(params, obs), jnp.asarray(returns))
    return wide.mean() + good.mean()
