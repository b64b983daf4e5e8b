# jax: TypeError: lax.add requires arguments to have the same dtypes, got int32, float32.
import jax.numpy as jnp
from jax import lax

a = jnp.arange(4)
b = jnp.ones((4,))
c = lax.add(a, b)  # expect: DP607  # fixed: c = lax.add(a.astype(jnp.float32), b)
