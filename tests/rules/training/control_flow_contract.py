import jax
import jax.numpy as jnp


def one_array(carry, x):
    carry = jnp.tanh(carry + x)
    return carry  # expect: DP958


def three(carry, x):
    return carry, x, carry + x  # expect: DP958


def pair(carry, x):
    carry = jnp.tanh(carry + x)
    return carry, carry


def named(carry, x):
    result = (carry, x)
    return result


def run(start, xs):
    a = jax.lax.scan(one_array, start, xs)
    b = jax.lax.scan(three, start, xs)
    c = jax.lax.scan(pair, start, xs)
    d = jax.lax.scan(named, start, xs)
    e = jax.lax.scan(lambda c, x: c + x, start, xs)  # expect: DP958
    f = jax.lax.scan(lambda c, x: (c + x, None), start, xs)
    return a, b, c, d, e, f


@jax.jit
def choose(x):
    y = jax.lax.cond(x.sum() > 0, x * 2, x * 3)  # expect: DP958
    z = jax.lax.cond(x.sum() > 0, lambda v: v * 2, lambda v: v * 3, x)
    w = jax.lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x)
    return y + z + w
