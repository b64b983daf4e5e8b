import jax
import jax.numpy as jnp
import numpy as np


def first(n):
    x = jnp.ones(n)
    x[0] = 0.0  # expect: DP959
    return x


class Buffer:
    def __init__(self, n):
        self.values = jnp.zeros((n, 3))
        self.host = np.zeros((n, 3))

    def add(self, i, value):
        self.values[i] += value  # expect: DP959
        self.host[i] += value

    def add_well(self, i, value):
        return self.values.at[i].add(value)


@jax.jit
def mask(scores, keep):
    out = jnp.where(keep, scores, -1e9)
    out[..., 0] = 1.0  # expect: DP959
    return out


def others(n, items):
    table = {}
    table["x"] = jnp.ones(n)
    rows = [jnp.ones(n), jnp.zeros(n)]
    rows[0] = jnp.zeros(n)
    copy = np.array(jnp.ones(n))
    copy[0] = 1.0
    items[0] = 1.0
    return table, rows, copy, items


@jax.jit
def metrics(values):
    means = jax.lax.pmean(values, axis_name="batch")
    means["rate"] = 0.1
    return means
