import functools

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def clip(x):
    norm = jnp.linalg.norm(x)
    if norm > 1.0:  # expect: DP826
        x = x / norm
    return x


@jax.jit
def until(x):
    y = jnp.sum(x)
    while y > 1.0:  # expect: DP826
        y = y / 2.0
    return y


@jax.jit
def as_number(x):
    total = jnp.sum(x)
    return float(total) + total.item()  # expect: DP826


@jax.jit
def shapes(x, flag=None):
    y = jnp.sum(x, axis=0)
    if y.shape[0] > 3 or flag is not None:
        return y
    if y.ndim == 1:
        return jnp.where(y > 0, y, 0.0)
    return y * float(x.shape[0])


def outside(x):
    norm = jnp.linalg.norm(x)
    if norm > 1.0:
        return float(norm)
    return 0.0


@jax.jit
def relu(x):
    if x > 0:  # expect: DP826
        return x
    return 0.0


@jax.jit
def unit(x):
    return x / np.sqrt(np.sum(x**2))  # expect: DP826


@jax.jit
def mean(x):
    return jnp.sum(x) / np.sqrt(np.prod(x.shape))


@functools.partial(jax.jit, static_argnums=(1,))
def powers(x, n):
    if n > 3:
        return x
    return x * n


def plain(x):
    if x > 0:
        return np.sqrt(x)
    return x


# How many devices there are is known while tracing.
@functools.partial(jax.pmap, axis_name="devices")
def spread_out(x):
    count = jax.lax.psum(1, axis_name="devices")
    total = jnp.zeros((x.shape[0] * count, x.shape[1]))
    pairs = [(i, (i + 1) % count) for i in range(count)]
    return total, jax.lax.ppermute(x, axis_name="devices", perm=pairs)


# Callbacks run on the host, with arrays that have values.
class Reporter:
    def __init__(self):
        self.seen = 0

    def update(self, done, rewards):
        if jnp.sum(done) > 0:
            self.seen += int(done.sum())


@jax.jit
def step_and_report(state, done, rewards):
    reporter = Reporter()
    jax.debug.callback(reporter.update, done, rewards)
    return state + jnp.where(done, 0, rewards)
