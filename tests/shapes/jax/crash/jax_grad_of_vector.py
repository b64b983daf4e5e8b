# jax: TypeError: Gradient only defined for scalar-output functions. Output had shape: (8,).
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (x @ w - y) ** 2  # fixed: return jnp.mean((x @ w - y) ** 2)


w = jnp.zeros((3,))
x = jnp.ones((8, 3))
y = jnp.ones((8,))
g = jax.grad(loss)(w, x, y)  # expect: DP604
