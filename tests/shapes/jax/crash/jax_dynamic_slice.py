# jax: TypeError: dynamic_slice start_indices must have length equal to ndim, got indices (0,) for operand shape (10, 4)
import jax.numpy as jnp
from jax import lax

x = jnp.zeros((10, 4))
y = lax.dynamic_slice(x, (2,), (3,))  # expect: DP604  # fixed: y = lax.dynamic_slice(x, (2, 0), (3, 4))
