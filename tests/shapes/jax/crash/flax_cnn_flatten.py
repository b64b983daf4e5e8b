# flax: ScopeParamShapeError or dot mismatch: add got incompatible shapes for broadcasting: (1, 10), (1, 14, 14, 10)
import jax
import jax.numpy as jnp
from flax import linen as nn


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Conv(features=32, kernel_size=(3, 3))(x)
        x = nn.relu(x)
        x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], 7 * 7 * 32))  # expect: DP603  # fixed: x = x.reshape((x.shape[0], -1))
        x = nn.Dense(features=10)(x)
        return x


cnn = CNN()
params = cnn.init(jax.random.PRNGKey(0), jnp.ones([1, 28, 28, 1]))["params"]
