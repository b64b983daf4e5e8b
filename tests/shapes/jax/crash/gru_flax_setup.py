# jax: + of [4, 20, 64] and [1, 20, 32] is invalid: 64 is not 32
import jax
import jax.numpy as jnp
from flax import linen as nn


class Encoder(nn.Module):
    vocab: int
    dim: int

    def setup(self):
        self.embed = nn.Embed(self.vocab, self.dim)
        self.proj = nn.Dense(self.dim * 2)
        self.pos = self.param('pos', nn.initializers.normal(0.02), (1, 64, self.dim))  # fixed: self.pos = self.param('pos', nn.initializers.normal(0.02), (1, 64, self.dim * 2))

    def __call__(self, ids):
        x = self.proj(self.embed(ids))
        return x + self.pos[:, :ids.shape[1]]  # expect: DP602


enc = Encoder(1000, 32)
ids = jnp.ones((4, 20), dtype=jnp.int32)
v = enc.init(jax.random.PRNGKey(0), ids)
