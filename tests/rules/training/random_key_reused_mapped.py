import jax
import jax.numpy as jnp


def noisy(key, x):
    return x + jax.random.normal(key, x.shape)


def same(key, xs):
    return jax.vmap(noisy, in_axes=(None, 0))(key, xs)  # expect: DP825


def each(key, xs):
    return jax.vmap(noisy)(jax.random.split(key, len(xs)), xs)


def scaled(scale, x):
    return scale * jnp.sum(x)


def shared(scale, xs):
    return jax.vmap(scaled, in_axes=(None, 0))(scale, xs)
