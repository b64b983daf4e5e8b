import jax
import jax.numpy as jnp
from jax import random

key = jax.random.PRNGKey(0)
x = jax.random.normal(key, (3,))
y = jax.random.uniform(key, (3,))  # hint: DP825


def init(key):
    w = random.normal(key, (64, 64))
    b = random.normal(key, (64,))  # hint: DP825
    return w, b


def after_split(rng):
    first, second = random.split(rng)
    return random.normal(first), random.normal(second), random.normal(rng)  # hint: DP825


def by_keyword(key):
    a = random.normal(key=key, shape=(2,))
    return a + random.normal(key=key, shape=(2,))  # hint: DP825


def in_branch(key, big):
    a = random.normal(key)
    if big:
        a = a + random.uniform(key)  # hint: DP825
    return a


def rebound(key):
    key, sub = random.split(key)
    w = random.normal(sub, (64, 64))
    key, sub = random.split(key)
    b = random.normal(sub, (64,))
    return w, b, key


def either(key, normal):
    if normal:
        return random.normal(key)
    return random.uniform(key)


def branches(key, normal):
    if normal:
        a = random.normal(key)
    else:
        a = random.uniform(key)
    return a


def in_loop(key, n):
    total = 0.0
    for _ in range(n):
        key, sub = random.split(key)
        total += random.normal(sub)
    return total


def folded(key):
    return random.normal(random.fold_in(key, 0)) + random.normal(random.fold_in(key, 1))


def array_of_keys(key):
    keys = random.split(key, 3)
    return random.normal(keys[0]) + random.normal(keys[1])


def chosen(key, flag):
    return random.normal(key) if flag else random.uniform(key)


def later(key):
    return jax.vmap(lambda k: random.normal(k))(random.split(key, 4)) + jnp.ones(4)
