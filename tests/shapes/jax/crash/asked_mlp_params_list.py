# TypeError: dot_general requires contracting dimensions to have the same shape, got (784,) and (512,).
import jax
import jax.numpy as jnp
from jax import random

def init_params(sizes, key):
    keys = random.split(key, len(sizes))
    return [(random.normal(k, (m, n)) * 0.01, jnp.zeros((n,))) for m, n, k in zip(sizes[:-1], sizes[1:], keys)]

def predict(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(jnp.dot(x, w) + b)  # expect: DP602
    w, b = params[-1]
    return x @ w + b

params = init_params([512, 256, 10], random.PRNGKey(0))  # fixed: params = init_params([784, 256, 10], random.PRNGKey(0))
batch = jnp.ones((32, 784))
print(predict(params, batch).shape)
