# ValueError: All input arrays must have the same shape.
import jax.numpy as jnp
rows = [jnp.ones(3), jnp.ones(4)]  # fixed: rows = [jnp.ones(4), jnp.ones(4)]
m = jnp.stack(rows)  # expect: DP602
