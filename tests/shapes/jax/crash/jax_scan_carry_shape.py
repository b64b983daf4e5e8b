# jax: TypeError: scan body function carry input and carry output must have equal types, but the input carry has type float32[4] and the output carry has type float32[4,4]
import jax
import jax.numpy as jnp

W = jnp.ones((4, 4))


def step(carry, x):
    h = jnp.tanh(carry * W + x)  # fixed: h = jnp.tanh(carry @ W + x)
    return h, h


h0 = jnp.zeros((4,))
xs = jnp.ones((10, 4))
last, hs = jax.lax.scan(step, h0, xs)  # expect: DP602 or DP604
