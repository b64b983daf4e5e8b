# TypeError: cannot reshape array of shape (4, 7, 7, 64) (size 12544) into shape (4, 1024) (size 4096)
import jax, jax.numpy as jnp
from flax import linen as nn

class Net(nn.Module):
    num_classes: int

    @nn.compact
    def __call__(self, x, train: bool = True):
        for f in (32, 64):
            x = nn.Conv(f, (3, 3))(x)
            x = nn.relu(x)
            x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], 1024))  # expect: DP603 # fixed: x = x.reshape((x.shape[0], -1))
        x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(self.num_classes)(x)

net = Net(num_classes=10)
params = net.init({'params': jax.random.PRNGKey(0), 'dropout': jax.random.PRNGKey(1)}, jnp.ones((4, 28, 28, 1)))
