# jax: dot_general needs contracting dimensions of one size, got 5 and 3
import jax.numpy as np
from jax import random, grad, vmap

key = random.PRNGKey(0)
W = random.normal(key, (3, 5))
b = np.zeros(3)


def predict(x):
    return np.dot(W, x) + b  # expect: DP602


batch = random.normal(key, (10, 3))  # fixed: batch = random.normal(key, (10, 5))
out = vmap(predict)(batch)
# expect is inside predict
print(out.shape)
