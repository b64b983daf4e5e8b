# jax: softmax_cross_entropy takes one-hot labels, but gets labels [16, 10] for logits [16, 5]
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(64)(x))
        return nn.Dense(5)(x)


model = MLP()
x = jnp.ones((16, 20))
labels = jnp.zeros((16,), dtype=jnp.int32)
params = model.init(jax.random.PRNGKey(0), x)


def loss_fn(p):
    logits = model.apply(p, x)
    onehot = jax.nn.one_hot(labels, 10)  # fixed: onehot = jax.nn.one_hot(labels, 5)
    return optax.softmax_cross_entropy(logits, onehot).mean()  # expect: DP605


grads = jax.grad(loss_fn)(params)
