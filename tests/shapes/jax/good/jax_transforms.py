import jax
import jax.numpy as jnp
from functools import partial


@partial(jax.jit, static_argnums=(1,))
def normalize(x, axis):
    return x / jnp.sum(x, axis=axis, keepdims=True)


def loss(params, x, y):
    pred = jnp.dot(x, params["w"]) + params["b"]
    return jnp.mean((pred - y) ** 2)


def step(carry, x):
    carry = carry + jnp.sum(x)
    return carry, carry


params = {"w": jnp.zeros((4, 1)), "b": jnp.zeros((1,))}
x, y = jnp.ones((16, 4)), jnp.ones((16, 1))
value, grads = jax.value_and_grad(loss)(params, x, y)
total, sums = jax.lax.scan(step, 0.0, x)
per_row = jax.vmap(lambda row, k: row * k, in_axes=(0, None))(x, 2.0)
out = jax.lax.cond(True, lambda v: v + 1, lambda v: v - 1, x)
last = x[20]
n = jax.lax.fori_loop(0, 3, lambda i, acc: acc + i, 0)
normalize(x, -1)
