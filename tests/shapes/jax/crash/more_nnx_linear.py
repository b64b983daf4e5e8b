# flax: dot_general needs contracting dimensions of one size, got 32 and 8
from flax import nnx
import jax.numpy as jnp


class MLP(nnx.Module):
    def __init__(self, din, dmid, dout, *, rngs):
        self.linear1 = nnx.Linear(din, dmid, rngs=rngs)
        self.linear2 = nnx.Linear(din, dout, rngs=rngs)  # fixed: self.linear2 = nnx.Linear(dmid, dout, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.linear1(x))
        return self.linear2(x)  # expect: DP601


model = MLP(8, 32, 4, rngs=nnx.Rngs(0))
y = model(jnp.ones((2, 8)))
