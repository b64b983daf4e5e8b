# IndexError: Too many indices: 2-dimensional array indexed with 3 regular indices.
import jax.numpy as jnp
x = jnp.zeros((4, 5))
y = x[:, 0, 0]  # expect: DP604 # fixed: y = x[:, 0]
