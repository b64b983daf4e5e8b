import equinox as eqx
import jax
import jax.numpy as jnp


class Stopped(eqx.Module):
    table: jax.Array

    def __init__(self, length):
        self.table = jnp.sin(jnp.arange(length))

    def __call__(self, x):
        return x + jax.lax.stop_gradient(self.table)


@eqx.filter_grad
def loss(model, x):
    return jnp.mean(model(x) ** 2)
