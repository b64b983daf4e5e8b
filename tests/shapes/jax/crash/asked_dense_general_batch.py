# TypeError: dot_general requires contracting dimensions to have the same shape, got (10,) and (5,)
import jax.numpy as jnp
import numpy as np

X = np.random.randn(100, 5)
y = np.random.randn(100)
w = jnp.zeros((10,))  # fixed: w = jnp.zeros((5,))

def loss(w):
    pred = X @ w  # expect: DP602
    return jnp.mean((pred - y) ** 2)

print(loss(w))
