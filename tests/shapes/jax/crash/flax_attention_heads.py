# flax: AssertionError: Memory dimension must be divisible by number of heads.
import jax
import jax.numpy as jnp
from flax import linen as nn


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        y = nn.LayerNorm()(x)
        y = nn.MultiHeadDotProductAttention(num_heads=6)(y, y)  # expect: DP611  # fixed: y = nn.MultiHeadDotProductAttention(num_heads=8)(y, y)
        return x + y


v = Encoder().init(jax.random.PRNGKey(0), jnp.ones((2, 16, 128)))
