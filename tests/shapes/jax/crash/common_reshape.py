# jax: [24] has 24 elements, and [2, 3, 5] would have 30
import jax.numpy as jnp
x = jnp.arange(24.0)
print(x.reshape(2, 3, 5).shape)  # expect: DP603  # fixed: print(x.reshape(2, 3, 4).shape)
