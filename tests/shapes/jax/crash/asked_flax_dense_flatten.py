# TypeError: add got incompatible shapes for broadcasting: (8, 10), (8, 32).
import jax
import jax.numpy as jnp
import flax.linen as nn

class CNN(nn.Module):
    features: int = 32

    @nn.compact
    def __call__(self, x):
        skip = nn.Dense(self.features)(x.reshape((x.shape[0], -1)))
        x = nn.Conv(features=self.features, kernel_size=(3, 3))(x)
        x = nn.relu(x)
        x = nn.avg_pool(x, window_shape=(2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))
        x = nn.Dense(features=10)(x)  # fixed: x = nn.Dense(features=self.features)(x)
        return x + skip  # expect: DP602

model = CNN()
variables = model.init(jax.random.PRNGKey(0), jnp.ones((8, 28, 28, 1)))
