# ValueError: vmap got inconsistent sizes for array axes to be mapped: 16 and 3
import jax
import jax.numpy as jnp

def affine(w, x):
    return w @ x

w = jnp.ones((3, 8))
xs = jnp.ones((16, 8))
out = jax.vmap(affine)(w, xs)  # expect: DP602 # fixed: out = jax.vmap(affine, in_axes=(None, 0))(w, xs)
