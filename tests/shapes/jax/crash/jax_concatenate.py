# jax: TypeError: Cannot concatenate arrays with shapes that differ in dimensions other than the one being concatenated: concatenating along dimension 0 for shapes (4, 8), (4, 6).
import jax.numpy as jnp
import jax

k1, k2 = jax.random.split(jax.random.PRNGKey(1))
a = jax.random.uniform(k1, (4, 8))
b = jax.random.uniform(k2, (4, 6))
c = jnp.concatenate([a, b])  # expect: DP602  # fixed: c = jnp.concatenate([a, b], axis=1)
