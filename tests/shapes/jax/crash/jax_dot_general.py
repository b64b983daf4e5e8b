# jax: TypeError: dot_general requires contracting dimensions to have the same shape, got (16,) and (8,).
import jax.numpy as jnp
from jax import lax

a = jnp.ones((2, 4, 16))
b = jnp.ones((2, 8, 16))
c = lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,))))  # expect: DP602  # fixed: c = lax.dot_general(a, b, (((2,), (2,)), ((0,), (0,))))
