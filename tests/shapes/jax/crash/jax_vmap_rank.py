# jax: ValueError: vmap was requested to map its argument along axis 0, which implies that its rank should be at least 1, but is only 0
import jax
import jax.numpy as jnp


def scale(x, s):
    return x * s


xs = jnp.ones((5, 3))
ys = jax.vmap(scale)(xs, jnp.float32(2.0))  # expect: DP604  # fixed: ys = jax.vmap(scale, in_axes=(0, None))(xs, jnp.float32(2.0))
