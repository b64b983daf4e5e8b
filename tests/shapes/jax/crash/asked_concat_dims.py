# TypeError: Cannot concatenate arrays with different numbers of dimensions: got (5,), (5, 3).
import numpy as np
import jax.numpy as jnp

t = jnp.linspace(0, 1, 5)
x = jnp.array(np.random.rand(5, 3))
inp = jnp.concatenate([t, x], axis=-1)  # expect: DP604 or DP602 # fixed: inp = jnp.concatenate([t[:, None], x], axis=-1)
