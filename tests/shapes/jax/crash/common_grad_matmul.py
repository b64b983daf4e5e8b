# jax: - of [10, 2] and [10, 3] is invalid: 2 is not 3
import jax
import jax.numpy as jnp
def loss(w, x, y):
    return jnp.mean((x @ w - y) ** 2)  # expect: DP602
g = jax.grad(loss)(jnp.zeros((5, 2)), jnp.ones((10, 5)), jnp.ones((10, 3)))  # fixed: g = jax.grad(loss)(jnp.zeros((5, 2)), jnp.ones((10, 5)), jnp.ones((10, 2)))
