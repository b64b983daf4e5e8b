# jax: TypeError: grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but got int32.
import jax
import jax.numpy as jnp

f = lambda x: jnp.sum(x ** 2)
x = jnp.arange(4)  # fixed: x = jnp.arange(4.0)
print(jax.grad(f)(x))  # expect: DP607
