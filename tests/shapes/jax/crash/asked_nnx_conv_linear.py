# TypeError: dot_general requires contracting dimensions to have the same shape, got (1568,) and (3136,).
from flax import nnx
import jax.numpy as jnp

class CNN(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.conv1 = nnx.Conv(1, 32, kernel_size=(3, 3), rngs=rngs)
        self.linear1 = nnx.Linear(3136, 256, rngs=rngs)  # fixed: self.linear1 = nnx.Linear(6272, 256, rngs=rngs)
        self.linear2 = nnx.Linear(256, 10, rngs=rngs)

    def __call__(self, x):
        x = nnx.avg_pool(nnx.relu(self.conv1(x)), window_shape=(2, 2), strides=(2, 2))
        x = x.reshape(x.shape[0], -1)
        x = nnx.relu(self.linear1(x))  # expect: DP601
        return self.linear2(x)

model = CNN(rngs=nnx.Rngs(0))
y = model(jnp.ones((1, 28, 28, 1)))
