# flax: __call__() misses 1 required positional argument: kv
import jax, jax.numpy as jnp
import flax.linen as nn


class Cross(nn.Module):
    @nn.compact
    def __call__(self, q, kv):
        return nn.Dense(8)(q) + nn.Dense(8)(kv)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return Cross()(x)  # expect: DP610  # fixed: return Cross()(x, x)


Net().init(jax.random.PRNGKey(0), jnp.ones((2, 4)))
