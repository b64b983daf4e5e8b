import functools

import jax
import jax.numpy as jnp
import numpy as np


def loss_of(params, x):
    return jnp.mean((x @ params) ** 2)


def make_update(rate):
    @jax.jit
    def update(params, x):
        return params - rate * jax.grad(loss_of)(params, x)

    return update


class Fitter:
    def __init__(self, params, rate):
        self.params, self.rate = params, rate
        self.update = make_update(rate)

    def step(self, x):
        update = make_update(self.rate)  # expect: DP220
        self.params = update(self.params, x)

    def step_in_place(self, x):
        self.params = make_update(self.rate)(self.params, x)  # expect: DP220

    def step_kept(self, x):
        self.params = self.update(self.params, x)

    def prepare(self):
        update = make_update(self.rate)
        return update

    def warm_up(self, x):
        update = make_update(self.rate)
        update(self.params, x)

    def fit(self, data, steps):
        self.warm_up(data[:8])
        rng = np.random.default_rng(0)
        for _ in range(steps):
            rows = data[rng.integers(0, len(data), 64)]
            self.step(rows)
            self.step_in_place(rows)
            self.step_kept(rows)


@functools.lru_cache
def make_cached(rate):
    @jax.jit
    def update(params, x):
        return params - rate * jax.grad(loss_of)(params, x)

    return update


def cached_step(params, x):
    update = make_cached(0.1)
    return update(params, x)


def run(params, batches):
    for x in batches:
        params = cached_step(params, x)
    return params


if __name__ == "__main__":
    table = np.load("table.npy")
    Fitter(jnp.zeros(table.shape[1]), 0.1).fit(table, 10_000)
    run(jnp.zeros(table.shape[1]), np.split(table, 100))
