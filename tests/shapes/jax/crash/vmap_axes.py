# jax: vmap maps over 3 of [3, 5] and 10 of [10, 5]
import jax
import jax.numpy as jnp


def predict(w, x):
    return jnp.dot(w, x)


batched = jax.vmap(predict, in_axes=(0, 0))  # fixed: batched = jax.vmap(predict, in_axes=(None, 0))
w = jnp.ones((3, 5))
xs = jnp.ones((10, 5))
print(batched(w, xs).shape)  # expect: DP602
