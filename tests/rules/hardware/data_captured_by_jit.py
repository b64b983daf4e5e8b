import jax
import jax.numpy as jnp
import numpy as np

images = jnp.asarray(np.load("images.npy")) / 255.0
table = jnp.arange(10)


@jax.jit
def captured(params, rows):
    return jnp.sum(images[rows] @ params)  # expect: DP561


@jax.jit
def passed(params, images, rows):
    return jnp.sum(images[rows] @ params)


@jax.jit
def small(params, rows):
    return jnp.sum(table[rows] * params)


class Problem:
    def make(self, path):
        data = np.load(path)["x"]

        @jax.jit
        def loss(params, rows):
            return jnp.mean((data[rows] @ params) ** 2)  # expect: DP561

        return loss


def plain(rows):
    return images[rows].mean()
