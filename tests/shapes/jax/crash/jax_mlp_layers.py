# jax: TypeError: dot_general requires contracting dimensions to have the same shape, got (128,) and (64,).
import jax
import jax.numpy as jnp
from jax import grad, jit, random


def init_layer(key, n_in, n_out):
    w_key, b_key = random.split(key)
    return {"w": random.normal(w_key, (n_in, n_out)) * 0.01, "b": jnp.zeros(n_out)}


keys = random.split(random.PRNGKey(0), 2)
params = [init_layer(keys[0], 784, 128), init_layer(keys[1], 64, 10)]  # fixed: params = [init_layer(keys[0], 784, 128), init_layer(keys[1], 128, 10)]


@jit
def forward(params, x):
    h = jnp.tanh(x @ params[0]["w"] + params[0]["b"])
    return h @ params[1]["w"] + params[1]["b"]  # expect: DP602


logits = forward(params, jnp.ones((32, 784)))
