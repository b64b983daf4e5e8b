# jax: matmul of [4, 8] and [4, 16] is invalid: 8 columns meet 4 rows
import jax.numpy as jnp
x = jnp.ones((4, 8)); w = jnp.ones((16, 4))  # fixed: x = jnp.ones((4, 8)); w = jnp.ones((16, 8))
print(jnp.dot(x, w.T).shape)  # expect: DP602
