# jax: transpose names 3 axes, and [2, 10, 8, 8] has 4
import jax
import jax.numpy as jnp


def split_heads(x, heads):
    b, t, d = x.shape
    return x.reshape(b, t, heads, d // heads).transpose(0, 2, 1)  # expect: DP604  # fixed: return x.reshape(b, t, heads, d // heads).transpose(0, 2, 1, 3)


x = jnp.zeros((2, 10, 64))
h = split_heads(x, 8)
print(h.shape)
