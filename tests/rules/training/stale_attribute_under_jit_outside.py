from functools import partial

import jax
import jax.numpy as jnp


class Sampler:
    def __init__(self):
        self.temperature = 1.0
        self.scale = 2.0

    @partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return jnp.tanh(x) / self.temperature * self.scale  # expect: DP851


def anneal(batches):
    sampler = Sampler()
    for batch in batches:
        sampler.temperature *= 0.99
        yield sampler(batch)


class Fixed:
    def __init__(self):
        self.scale = 1.0

    @partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return jnp.tanh(x) * self.scale


def once(batches):
    fixed = Fixed()
    fixed.scale = 3.0
    for batch in batches:
        yield fixed(batch)


class Other:
    scale = 0.0


def others(batches):
    other = Other()
    for batch in batches:
        other.scale += batch.mean()
    return other
