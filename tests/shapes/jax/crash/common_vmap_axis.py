# jax: vmap maps over 5 of [5, 3] and 4 of [4, 3]
import jax
import jax.numpy as jnp
f = lambda a, b: jnp.dot(a, b)
print(jax.vmap(f)(jnp.ones((5, 3)), jnp.ones((4, 3))))  # expect: DP602  # fixed: print(jax.vmap(f)(jnp.ones((5, 3)), jnp.ones((5, 3))))
