# jax: add of a part of [6] takes what broadcasts to it, but gets [5]
import jax.numpy as jnp
m = jnp.zeros((6, 6))
m = m.at[:, 2].add(jnp.ones(5))  # expect: DP602  # fixed: m = m.at[:, 2].add(jnp.ones(6))
