# TypeError: reshape total size must be unchanged, got (4, 16, 64) to (4, 512)
import jax
import jax.numpy as jnp
import flax.linen as nn

class Encoder(nn.Module):
    vocab: int
    dim: int

    def setup(self):
        self.embed = nn.Embed(self.vocab, self.dim)
        self.out = nn.Dense(2)

    def __call__(self, tokens):
        x = self.embed(tokens)
        x = x.reshape((tokens.shape[0], 512))  # expect: DP603 # fixed: x = x.reshape((tokens.shape[0], -1))
        return self.out(x)

enc = Encoder(vocab=1000, dim=64)
tokens = jnp.zeros((4, 16), dtype=jnp.int32)
params = enc.init(jax.random.PRNGKey(0), tokens)
