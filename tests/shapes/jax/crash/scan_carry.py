# jax: matmul of [4, 16] and [8, 16] is invalid: 16 columns meet 8 rows
import jax
import jax.numpy as jnp
from jax import lax


def rnn(params, h0, xs):
    wx, wh = params

    def step(h, x):
        h = jnp.tanh(x @ wx + h @ wh)  # expect: DP602
        return h, h

    return lax.scan(step, h0, xs)


key = jax.random.PRNGKey(0)
wx = jax.random.normal(key, (8, 16))
wh = jax.random.normal(key, (8, 16))  # fixed: wh = jax.random.normal(key, (16, 16))
h0 = jnp.zeros((4, 16))
xs = jnp.ones((30, 4, 8))
last, ys = rnn((wx, wh), h0, xs)
