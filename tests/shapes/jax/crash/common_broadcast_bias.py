# jax: + of [32, 10] and [64] is invalid: 10 is not 64
import jax.numpy as jnp
h = jnp.ones((32, 64)) @ jnp.ones((64, 10))
b = jnp.zeros((64,))  # fixed: b = jnp.zeros((10,))
print((h + b).shape)  # expect: DP602
