# jax: TypeError: body_fun output and input must have identical types
import jax
import jax.numpy as jnp


def body(i, acc):
    return acc + jnp.ones((3, 3)) * i


acc = jax.lax.fori_loop(0, 5, body, jnp.zeros((3,)))  # expect: DP602 or DP604  # fixed: acc = jax.lax.fori_loop(0, 5, body, jnp.zeros((3, 3)))
