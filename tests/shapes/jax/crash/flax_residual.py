# flax: TypeError: add got incompatible shapes for broadcasting: (1, 32, 32, 64), (1, 32, 32, 3).
import jax
import jax.numpy as jnp
import flax.linen as nn


class Block(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x):
        y = nn.Conv(self.features, kernel_size=(3, 3))(x)
        y = nn.relu(y)
        y = nn.Conv(self.features, kernel_size=(3, 3))(y)
        #+ x = nn.Conv(self.features, kernel_size=(1, 1))(x)
        return nn.relu(y + x)  # expect: DP602


variables = Block(64).init(jax.random.PRNGKey(0), jnp.ones((1, 32, 32, 3)))
