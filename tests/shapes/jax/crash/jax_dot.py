# jax: TypeError: dot_general requires contracting dimensions to have the same shape, got (784,) and (512,).
import jax
import jax.numpy as jnp


def init_params(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [(jax.random.normal(k, (m, n)) * 0.1, jnp.zeros((n,))) for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def predict(params, x):
    (w1, b1), (w2, b2) = params
    h = jax.nn.relu(jnp.dot(x, w1) + b1)  # expect: DP602
    return jnp.dot(h, w2) + b2


params = init_params(jax.random.PRNGKey(0), [512, 256, 10])  # fixed: params = init_params(jax.random.PRNGKey(0), [784, 256, 10])
out = predict(params, jnp.ones((32, 784)))
