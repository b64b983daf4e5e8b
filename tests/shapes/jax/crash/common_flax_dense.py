# jax: Dense was initialized for 8 features, but gets 10 of [4, 10]
import jax
import jax.numpy as jnp
import flax.linen as nn
class MLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(nn.relu(nn.Dense(16)(x)))  # expect: DP601
m = MLP()
p = m.init(jax.random.PRNGKey(0), jnp.ones((1, 8)))
print(m.apply(p, jnp.ones((4, 10))))  # fixed: print(m.apply(p, jnp.ones((4, 8))))
