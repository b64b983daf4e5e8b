# jax: ValueError: axis 2 is out of bounds for array of dimension 2
import jax.numpy as jnp

logits = jnp.zeros((8, 10))
p = jnp.exp(logits) / jnp.sum(jnp.exp(logits), axis=2, keepdims=True)  # expect: DP604  # fixed: p = jnp.exp(logits) / jnp.sum(jnp.exp(logits), axis=1, keepdims=True)
