# jax: TypeError: body_fun output and input must have identical types, got int32[] and float32[]
import jax.numpy as jnp
from jax import lax


def cond_fun(state):
    i, x = state
    return i < 10


def body_fun(state):
    i, x = state
    return i + 1, jnp.stack([x, x])  # fixed: return i + 1, x + x


i, x = lax.while_loop(cond_fun, body_fun, (0, jnp.ones((3,))))  # expect: DP602 or DP604
