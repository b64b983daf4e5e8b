# jax: ValueError: not enough values to unpack (expected 3, got 2)
import jax

key = jax.random.PRNGKey(42)
key, k1, k2 = jax.random.split(key)  # expect: DP610 or DP604  # fixed: key, k1, k2 = jax.random.split(key, 3)
x = jax.random.normal(k1, (4, 4))
