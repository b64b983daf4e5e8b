# jax: [1, 7, 7, 64] has 3136 elements, which cannot be divided by the 12544 of [-1, 12544]
import jax
import jax.numpy as jnp
from flax import linen as nn


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Conv(features=32, kernel_size=(3, 3))(x)
        x = nn.relu(x)
        x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = nn.Conv(features=64, kernel_size=(3, 3))(x)
        x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = x.reshape((-1, 14 * 14 * 64))  # expect: DP603  # fixed: x = x.reshape((x.shape[0], -1))
        x = nn.Dense(256)(x)
        return nn.Dense(10)(x)


cnn = CNN()
params = cnn.init(jax.random.PRNGKey(0), jnp.ones([1, 28, 28, 1]))
