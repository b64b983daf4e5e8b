# flax: mul got incompatible shapes for broadcasting: (4, 32), (4, 16)
import jax, jax.numpy as jnp
import flax.linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.Dense(32)(x)
        g = nn.Dense(16)(x)
        return h * g  # expect: DP602  # fixed: return h[..., :16] * g


Net().init(jax.random.PRNGKey(0), jnp.zeros((4, 8)))
