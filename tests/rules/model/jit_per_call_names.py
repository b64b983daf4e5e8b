import functools

import jax
import jax.numpy as jnp


def sample(temperature, params, x):
    return jnp.tanh(x @ params) / temperature


def next_token(params, x, temperature):
    fn = functools.partial(sample, temperature)
    return jax.jit(fn)(params, x)  # expect: DP220


def next_by_lambda(params, x, temperature):
    fn = lambda p, v: sample(temperature, p, v)
    return jax.jit(fn)(params, x)  # expect: DP220


def generate(params, x):
    for _ in range(1000):
        x = next_token(params, x, 0.8)
        x = next_by_lambda(params, x, 0.8)
    return x


@functools.partial(jax.jit, static_argnums=0)
def compiled(temperature, params, x):
    return sample(temperature, params, x)


def generate_well(params, x):
    for _ in range(1000):
        x = compiled(0.8, params, x)
    return x
