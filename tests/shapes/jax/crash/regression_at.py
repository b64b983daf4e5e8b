# jax: matmul of [100, 4] and [3] is invalid: 4 columns meet 3 rows
import jax
import jax.numpy as jnp


def model(theta, X):
    return X @ theta  # expect: DP602


def mse(theta, X, y):
    return jnp.mean((model(theta, X) - y) ** 2)


X = jnp.ones((100, 3))
X = jnp.hstack([jnp.ones((100, 1)), X])
y = jnp.ones((100,))
theta = jnp.zeros(3)  # fixed: theta = jnp.zeros(4)
for i in range(100):
    theta = theta - 0.1 * jax.grad(mse)(theta, X, y)
