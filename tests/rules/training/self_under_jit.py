from functools import partial

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp


class Agent:
    def __init__(self, network):
        self.network = network

    @jax.jit  # expect: DP914
    def act(self, params, observation):
        return jnp.argmax(self.network.apply(params, observation))

    @partial(jax.jit, donate_argnums=1)  # expect: DP914
    def update(self, params, grads):
        return params - grads

    @partial(jax.jit, static_argnums=0)
    def right(self, params):
        return params

    @partial(jax.jit, static_argnames=("self",))
    def by_name(self, params):
        return params

    @staticmethod
    @jax.jit
    def static(params):
        return params


class Derived(Agent):
    @jax.jit  # expect: DP914
    def value(self, params):
        return jnp.sum(params)


class Net(nn.Module):
    @jax.jit
    def call(self, x):
        return x


class Equinox(eqx.Module):
    @jax.jit
    def call(self, x):
        return x
