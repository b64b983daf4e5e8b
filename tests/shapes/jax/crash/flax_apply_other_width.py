# flax: ScopeParamShapeError: Initializer expected to generate shape (32, 16) but got shape (64, 16) instead for parameter "kernel" in "/Dense_0"
import jax
import jax.numpy as jnp
from flax import linen as nn


class MLP(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, x):
        x = nn.Dense(self.hidden)(x)  # or here
        x = nn.relu(x)
        return nn.Dense(10)(x)


model = MLP(hidden=16)
params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 64)))
logits = model.apply(params, jnp.ones((8, 32)))  # expect: DP601 or DP613  # fixed: logits = model.apply(params, jnp.ones((8, 64)))
