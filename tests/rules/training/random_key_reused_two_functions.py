"""Functions that draw with the key that they are given."""
import jax
import jax.numpy as jnp


def noise(key, x):
    return x + jax.random.normal(key, x.shape)


def corrupt(key, x, p=0.1):
    return x * jax.random.bernoulli(key, 1 - p, x.shape)


def split_inside(key, x):
    first, second = jax.random.split(key)
    return x + jax.random.normal(first, x.shape) + jax.random.normal(second, x.shape)


def init_layer(key, size):
    return jax.random.normal(key, (size, size))


def loss(params, key, x):
    hidden = corrupt(key, x) @ params
    return jnp.mean(noise(key, hidden))  # expect: DP825


def loss_with_two_keys(params, key, x):
    first, second = jax.random.split(key)
    return jnp.mean(noise(second, corrupt(first, x) @ params))


def loss_by_name(params, key, x):
    dropped = x * jax.random.bernoulli(key, 0.9, x.shape)
    return jnp.mean(noise(key=key, x=dropped) @ params)  # expect: DP825


def loss_that_splits(params, key, x):
    return jnp.mean(split_inside(key, corrupt(key, x)) @ params)


def train(params, batches):
    update = jax.jit(jax.grad(loss))
    other = jax.jit(jax.grad(loss_with_two_keys))
    named = jax.jit(jax.grad(loss_by_name))
    split = jax.jit(jax.grad(loss_that_splits))
    key = jax.random.PRNGKey(0)
    for x in batches:
        key, sub, more, again, last = jax.random.split(key, 5)
        params = params - update(params, sub, x) - other(params, more, x)
        params = params - named(params, again, x) - split(params, last, x)
    return params


def main(batches):
    key = jax.random.PRNGKey(1)
    params = init_layer(key, 8)
    first = noise(key, jnp.zeros((4, 8)))
    return train(params, batches), first
