# jax: set of a part of [4] takes what broadcasts to it, but gets [3]
import jax
import jax.numpy as jnp
from functools import partial


@jax.jit
def push(buffer, item):
    buffer = jnp.roll(buffer, 1, axis=0)
    return buffer.at[0].set(item)  # expect: DP602


buf = jnp.zeros((10, 4))
for i in range(5):
    buf = push(buf, jnp.ones((3,)) * i)  # fixed: buf = push(buf, jnp.ones((4,)) * i)
