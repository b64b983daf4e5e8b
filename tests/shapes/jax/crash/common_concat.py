# jax: concatenate of [3, 4] and [3, 5] along dimension 0 is invalid: 4 is not 5
import jax.numpy as jnp
print(jnp.concatenate([jnp.zeros((3, 4)), jnp.zeros((3, 5))], axis=0).shape)  # expect: DP602  # fixed: print(jnp.concatenate([jnp.zeros((3, 4)), jnp.zeros((3, 5))], axis=1).shape)
