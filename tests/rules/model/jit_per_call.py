from functools import partial

import jax
import jax.numpy as jnp
from jax import jit


def body(x):
    return jnp.square(x)


def in_loop(batches, scale):
    for batch in batches:
        jax.jit(lambda x: x * 2)(batch)  # expect: DP220
    for batch in batches:
        step = jit(partial(body, scale))  # expect: DP220
        step(batch)
    for batch in batches:

        def inner(x):
            return x * scale

        fast = jax.jit(inner)  # expect: DP220
        fast(batch)
    for batch in batches:

        @jax.jit  # expect: DP220
        def decorated(x):
            return x * scale

        decorated(batch)


def per_call(x, scale):
    @partial(jax.jit, static_argnums=0)  # hint: DP220
    def inner(n, y):
        return y * scale * n

    return inner(3, x)


def perhaps_once(x):
    return jax.jit(lambda y: y + 1)(x)  # hint: DP220


def caller(batches):
    for batch in batches:
        per_call(batch, 2)


@jax.jit
def traced(x):
    return jax.jit(lambda y: y + 1)(x)


top = jax.jit(lambda x: x + 1)
result = jax.jit(lambda x: x + 1)(3)


def silent(batches, models):
    for batch in batches:
        jax.jit(body)(batch)
    step = jax.jit(lambda x: x + 1)
    for batch in batches:
        step(batch)
    for model in models:

        @jax.jit
        def train(x):
            return model(x)

        for batch in batches:
            train(batch)
    print(jax.jit(lambda x: x + 1).lower(3))
    return jax.jit(lambda x: x + 1)


class Model:
    def __init__(self):
        self.step = jax.jit(lambda x: x + 1)

    def make(self):
        @jax.jit
        def step(x):
            return x

        return step


def behind_a_setting(settings, batches):
    if settings.evaluate:
        for batch in batches:
            yield jax.jit(lambda x: x * 2)(batch)  # expect: DP220


def when_first_needed(batches):
    compiled = None
    for batch in batches:
        if compiled is None:
            compiled = jax.jit(lambda x: x * 2)
        yield compiled(batch)
