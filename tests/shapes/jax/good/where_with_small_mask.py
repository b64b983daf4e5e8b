# The mask is smaller than what it chooses from.
import flax.linen as nn
import jax
import jax.numpy as jnp


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Conv(16, (4, 4), strides=(4, 4))(x)


def flip(key, images):
    chosen = jax.random.bernoulli(key, 0.5, (images.shape[0], 1, 1, 1))
    return jnp.where(chosen, images[:, :, ::-1], images)


def step(params, batch, key):
    images, labels = batch
    return Net().apply(params, flip(key, images)), labels


params = Net().init(jax.random.key(0), jnp.zeros((1, 32, 32, 3)))


def run(batches):
    for number, batch in enumerate(batches):
        step(params, batch, jax.random.key(number))
