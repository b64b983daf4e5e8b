# jax: TypeError: Gradient only defined for scalar-output functions. Output had shape: (16, 1).
import jax
import jax.numpy as jnp


def mse(params, x, y):
    pred = x @ params["w"] + params["b"]
    return (pred - y) ** 2  # fixed: return jnp.mean((pred - y) ** 2)


params = {"w": jnp.zeros((4, 1)), "b": jnp.zeros((1,))}
x, y = jnp.ones((16, 4)), jnp.ones((16, 1))
loss, grads = jax.value_and_grad(mse)(params, x, y)  # expect: DP604
