from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def normalise(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)  # expect: DP826


def similarity(a, b):
    return normalise(a) @ normalise(b).T


@jax.jit
def train_step(params, image, text):
    def loss_fn(p):
        return jnp.mean(similarity(image @ p, text @ p))

    return jax.grad(loss_fn)(params)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.797 * (x + 0.0447 * x**3)))  # expect: DP826


@jax.jit
def forward(x, w):
    return gelu(x @ w)


def safe_divide(a, b):
    if b == 0:  # expect: DP826
        return 0.0
    return a / b


@jax.jit
def ratio(x, y):
    return safe_divide(jnp.sum(x), jnp.sum(y))


@jax.jit
def positive(x, threshold):
    kept = x[x > threshold]  # expect: DP826
    return kept.mean()


@jax.jit
def one_hot(labels, n):
    return labels[:, None] == jnp.arange(n)  # expect: DP826


@jax.jit
def edges(adjacency):
    return jnp.nonzero(adjacency)  # expect: DP826


@jax.jit
def repeat(x, n):
    for _ in range(n):  # expect: DP826
        x = jnp.sin(x)
    return x


@jax.jit
def checked(x):
    assert jnp.all(x > 0)  # expect: DP826
    return jnp.log(x)


@jax.jit
def scanned(xs):
    def body(carry, x):
        if carry > 10.0:  # expect: DP826
            carry = 0.0
        return carry + x, carry

    return jax.lax.scan(body, 0.0, xs)


@partial(jax.jit, static_argnums=(1,))
def static_size(x, n):
    return x[:, None] == jnp.arange(n)


@partial(jax.jit, static_argnames="n")
def static_name(x, n):
    for _ in range(n):
        x = jnp.sin(x)
    return x


@jax.jit
def shapes(x):
    table = np.sqrt(np.arange(x.shape[-1]))
    if x.ndim == 2 and x.shape[0] > 1:
        x = x * table
    return x.at[x > 0].set(0.0)


@jax.jit
def fine(x, mask):
    size = np.prod(x.shape)
    kept = jnp.where(mask, x, 0.0)
    found = jnp.nonzero(kept, size=4)
    total = jnp.zeros(x.shape[0])
    return np.sum(kept) / size, found, total


SCALES = jnp.ones(4)


@jax.jit
def constant_outside(x):
    return x * np.asarray(SCALES)


def both_ways(x):
    return np.exp(x)  # expect: DP826


@jax.jit
def one_way(x):
    return both_ways(x)


plain = both_ways(np.ones(3))


def optional(x, bias):
    if bias is not None:
        x = x + bias
    return x


@jax.jit
def with_optional(x, bias):
    return optional(x, bias)
