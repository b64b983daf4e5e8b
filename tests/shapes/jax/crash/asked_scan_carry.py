# TypeError: scan body function carry input and carry output must have equal types: float32[8] against float32[8,4]
import jax
import jax.numpy as jnp
from jax import lax

w = jnp.ones((8, 4))

def step(h, x):
    h = jnp.tanh(w * x[:, None])  # fixed: h = jnp.tanh((w * x[:, None]).sum(axis=1)) + h
    return h, h

h0 = jnp.zeros((8,))
xs = jnp.ones((20, 8))
final, hs = lax.scan(step, h0, xs)  # expect: DP602 or DP604
