# jax: matmul of [32, 784] and [128, 784] is invalid: 784 columns meet 128 rows
import jax
import jax.numpy as jnp
from jax import grad, jit, random


def init(sizes, key):
    keys = random.split(key, len(sizes) - 1)
    return [(random.normal(k, (n, m)) * 0.01, jnp.zeros(n)) for m, n, k in zip(sizes[:-1], sizes[1:], keys)]  # fixed: return [(random.normal(k, (m, n)) * 0.01, jnp.zeros(n)) for m, n, k in zip(sizes[:-1], sizes[1:], keys)]


def predict(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(jnp.dot(x, w) + b)  # expect: DP602
    w, b = params[-1]
    return jnp.dot(x, w) + b


def loss(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


params = init([784, 128, 10], random.PRNGKey(0))
x = jnp.ones((32, 784))
y = jnp.zeros((32, 10))
g = jit(grad(loss))(params, x, y)
