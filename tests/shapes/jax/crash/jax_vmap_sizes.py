# jax: ValueError: vmap got inconsistent sizes for array axes to be mapped: argument x has shape (10, 3), argument y has shape (8, 3)
import jax
import jax.numpy as jnp


def distance(x, y):
    return jnp.sqrt(jnp.sum((x - y) ** 2))


a = jnp.ones((10, 3))
b = jnp.ones((8, 3))  # fixed: b = jnp.ones((10, 3))
d = jax.vmap(distance)(a, b)  # expect: DP602
