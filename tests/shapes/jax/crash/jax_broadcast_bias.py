# jax: TypeError: add got incompatible shapes for broadcasting: (8, 16), (8,).
import jax.numpy as jnp

h = jnp.ones((8, 16))
bias = jnp.zeros((8,))  # fixed: bias = jnp.zeros((16,))
out = h + bias  # expect: DP602
