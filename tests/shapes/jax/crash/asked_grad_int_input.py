# TypeError: grad requires real- or complex-valued inputs, but got int32.
import jax
import jax.numpy as jnp

def f(x):
    return jnp.sum(x ** 2)

x = jnp.array([1, 2, 3])  # fixed: x = jnp.array([1., 2., 3.])
print(jax.grad(f)(x))  # expect: DP607
