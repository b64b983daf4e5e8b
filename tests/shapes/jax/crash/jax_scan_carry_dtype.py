# jax: TypeError: scan body function carry input and carry output must have equal types: the input carry has type int32[] and the output float32[]
import jax.numpy as jnp
from jax import lax


def add(total, x):
    return total + x, None


values = jnp.linspace(0.0, 1.0, 16)
total, _ = lax.scan(add, jnp.array(0), values)  # expect: DP607  # fixed: total, _ = lax.scan(add, jnp.array(0.0), values)
