import jax
import jax.numpy as jnp
from flax import linen as nn


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(x)


model = Net()
model.apply = jax.jit(model.apply)
params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 8)))
for i in range(1000):
    model.apply(params, jnp.ones((32, 8)))
