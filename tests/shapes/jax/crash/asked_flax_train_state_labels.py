# ValueError: the labels (32, 10) and logits (32, 5) do not broadcast
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn

class MLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(64)(x))
        return nn.Dense(5)(x)  # fixed: return nn.Dense(10)(x)

model = MLP()
params = model.init(jax.random.PRNGKey(1), jnp.zeros((1, 20)))

def loss_fn(params, x, y):
    logits = model.apply(params, x)
    return optax.softmax_cross_entropy(logits, jax.nn.one_hot(y, 10)).mean()  # expect: DP605 or DP602

x = jnp.zeros((32, 20))
y = jnp.zeros((32,), dtype=jnp.int32)
grads = jax.grad(loss_fn)(params, x, y)
