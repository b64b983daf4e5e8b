from functools import partial

import jax
import jax.numpy as jnp


def denoise(params, x, t):
    return x - params * t


def nested(params, x):
    def body(x, t):
        x = denoise(params, x, t)
        return x, x  # expect: DP454

    _, xs = jax.lax.scan(body, x, jnp.arange(1000))
    return jnp.clip(xs[-1], -1.0, 1.0)


def step_of(params, x, t):
    new = denoise(params, x, t)
    return new, new  # expect: DP454


def with_partial(params, x):
    final, trajectory = jax.lax.scan(partial(step_of, params), x, jnp.arange(500))
    return trajectory[-1]


def of_two(params, x):
    def body(carry, t):
        x, momentum = carry
        momentum = 0.9 * momentum + denoise(params, x, t)
        x = x + momentum
        return (x, momentum), (x, jnp.mean(x))  # expect: DP454

    _, (xs, means) = jax.lax.scan(body, (x, jnp.zeros_like(x)), jnp.arange(500))
    return xs[-1], means


class Sampler:
    def __init__(self, params):
        self.params = params

    def _step(self, x, t):
        x = denoise(self.params, x, t)
        return x, x  # expect: DP454

    def _run(self, x, ts):
        return jax.lax.scan(self._step, x, ts)

    def __call__(self, x, ts):
        _, images = self._run(x, ts)
        return images[-1]


def at_once(params, x, ts):
    return jax.lax.scan(lambda x, t: (denoise(params, x, t), denoise(params, x, t)), x, ts)[1][-1]  # expect: DP454


def of_tree(params, state, ts):
    def body(state, t):
        state = jax.tree.map(lambda leaf: leaf * t, state)
        return state, state  # expect: DP454

    _, states = jax.lax.scan(body, state, ts)
    return jax.tree.map(lambda leaf: leaf[-1], states)


# All steps are wanted.
def all_steps(params, x, ts):
    def body(x, t):
        x = denoise(params, x, t)
        return x, x

    _, xs = jax.lax.scan(body, x, ts)
    return xs


def some_steps(params, x, ts):
    def body(x, t):
        x = denoise(params, x, t)
        return x, x

    _, xs = jax.lax.scan(body, x, ts)
    return xs[-1], xs[::100]


# One number for each step.
def numbers(xs):
    def body(total, x):
        total = total + x.mean()
        return total, total

    _, totals = jax.lax.scan(body, 0.0, xs)
    return totals[-1]


# Something else than the carry.
def other(params, x, ts):
    def body(x, t):
        y = denoise(params, x, t)
        return y, y.mean()

    _, means = jax.lax.scan(body, x, ts)
    return means[-1]


def given_up(run, x, ts):
    _, xs = run(x, ts)
    return xs[-1]


def handed_on(params, x, ts):
    def body(x, t):
        x = denoise(params, x, t)
        return x, x

    return jax.lax.scan(body, x, ts)
