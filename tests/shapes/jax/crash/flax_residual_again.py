# jax: + of [8, 32] and [8, 64] is invalid: 32 is not 64
import jax
import jax.numpy as jnp
import flax.linen as nn


class Block(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x):
        y = nn.Dense(self.features)(x)
        y = nn.gelu(y)
        y = nn.Dense(self.features)(y)  # fixed: y = nn.Dense(x.shape[-1])(y)
        return x + y  # expect: DP602


class Net(nn.Module):
    width: int = 64
    depth: int = 3

    @nn.compact
    def __call__(self, x):
        for _ in range(self.depth):
            x = Block(self.width)(x)
        return nn.Dense(1)(x)


model = Net()
variables = model.init(jax.random.PRNGKey(1), jnp.zeros((8, 32)))
out = model.apply(variables, jnp.zeros((8, 32)))
