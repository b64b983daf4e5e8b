import random
import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

history = []
calls = 0


@jax.jit
def fires(x):
    global calls
    y = jnp.square(x)
    print(y)  # hint: DP222
    print("x is", x)  # hint: DP222
    history.append(y)  # expect: DP222
    calls += 1  # hint: DP222
    noise = np.random.normal(size=x.shape)  # expect: DP222
    start = time.time()  # hint: DP222
    return np.sum(y) + noise * start


@partial(jax.jit, static_argnums=0)
def partial_fires(n, x):
    return x * random.random()  # expect: DP222


def inner(x):
    print(jnp.sum(x))  # hint: DP222
    return x


compiled = jax.jit(inner)


@jax.jit
def silent(x, key):
    print("tracing", x.shape)
    jax.debug.print("{}", x)
    parts = []
    for i in range(3):
        parts.append(x * i)
    scale = np.sqrt(x.shape[0])
    table = np.arange(10)
    return sum(parts) * scale * table + jax.random.normal(key, x.shape)


def eager(x):
    y = jnp.square(x)
    print(y)
    history.append(y)
    return np.sum(y) * np.random.normal()


frames = []


@jax.jit
def with_frame(params, x):
    frames.append(params)
    y = jnp.square(x)
    frames.pop()
    return y
