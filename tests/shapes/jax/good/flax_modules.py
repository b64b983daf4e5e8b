import jax
import jax.numpy as jnp
from flax import linen as nn


class Block(nn.Module):
    features: int
    stride: int = 1

    @nn.compact
    def __call__(self, x, train: bool = True):
        y = nn.Conv(self.features, (3, 3), strides=self.stride)(x)
        y = nn.BatchNorm(use_running_average=not train)(y)
        if x.shape[-1] != self.features or self.stride != 1:
            x = nn.Conv(self.features, (1, 1), strides=self.stride)(x)
        return nn.relu(x + y)


class Net(nn.Module):
    classes: int = 10

    def setup(self):
        self.blocks = [Block(16), Block(32, 2), Block(32)]
        self.head = nn.Dense(self.classes)

    def __call__(self, x, train=True):
        for block in self.blocks:
            x = block(x, train)
        return self.head(jnp.mean(x, axis=(1, 2)))


net = Net()
variables = net.init(jax.random.PRNGKey(0), jnp.ones((1, 32, 32, 3)))
logits = net.apply(variables, jnp.ones((8, 32, 32, 3)), train=False)
logits, updates = net.apply(variables, jnp.ones((4, 64, 64, 3)), mutable=["batch_stats"])
