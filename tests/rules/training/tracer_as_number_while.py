import jax
import jax.numpy as jnp


@jax.jit
def newton(x):
    error = jnp.inf
    while error > 1e-5:  # expect: DP826
        y = x - jnp.cos(x)
        error = jnp.max(jnp.abs(y - x))
        x = y
    return x


@jax.jit
def counted(x):
    n = 0
    while n < 10:
        x = jnp.cos(x)
        n = n + 1
    return x


def eager(x):
    error = jnp.inf
    while error > 1e-5:
        y = x - jnp.cos(x)
        error = jnp.max(jnp.abs(y - x))
        x = y
    return x
