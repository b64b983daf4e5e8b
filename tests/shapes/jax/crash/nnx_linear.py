# jax: l2 takes 16 features, but gets 64 of [8, 64]
import jax
import jax.numpy as jnp
from flax import nnx


class MLP(nnx.Module):
    def __init__(self, din, dmid, dout, *, rngs):
        self.l1 = nnx.Linear(din, dmid, rngs=rngs)
        self.bn = nnx.BatchNorm(dmid, rngs=rngs)
        self.l2 = nnx.Linear(din, dout, rngs=rngs)  # fixed: self.l2 = nnx.Linear(dmid, dout, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.bn(self.l1(x)))
        return self.l2(x)  # expect: DP601


model = MLP(16, 64, 4, rngs=nnx.Rngs(0))
y = model(jnp.ones((8, 16)))
