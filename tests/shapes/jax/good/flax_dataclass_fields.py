import flax.linen as nn
import jax
import jax.numpy as jnp
from typing import Any, Sequence


class MLP(nn.Module):
    sizes: Sequence[int]
    act: Any = nn.relu
    dtype: Any = jnp.float32

    @nn.compact
    def __call__(self, x, *, deterministic=True):
        for i, size in enumerate(self.sizes):
            x = nn.Dense(size, dtype=self.dtype, name=f"layer_{i}")(x)
            if i != len(self.sizes) - 1:
                x = self.act(x)
                x = nn.Dropout(0.1)(x, deterministic=deterministic)
        return x


class Attn(nn.Module):
    heads: int = 4

    @nn.compact
    def __call__(self, x, mask=None):
        d = x.shape[-1]
        q, k, v = jnp.split(nn.Dense(3 * d)(x), 3, axis=-1)
        q = q.reshape(*q.shape[:-1], self.heads, -1)
        k = k.reshape(*k.shape[:-1], self.heads, -1)
        v = v.reshape(*v.shape[:-1], self.heads, -1)
        y = nn.dot_product_attention(q, k, v)
        return x + nn.DenseGeneral(d, axis=(-2, -1))(y)


m = MLP([64, 32, 10])
p = m.init(jax.random.PRNGKey(0), jnp.ones((1, 8)))
m.apply(p, jnp.ones((5, 8)))
m.apply(p, jnp.ones((2, 5, 8)), deterministic=False, rngs={"dropout": jax.random.PRNGKey(1)})
a = Attn()
a.apply(a.init(jax.random.PRNGKey(0), jnp.ones((2, 7, 32))), jnp.ones((3, 9, 32)))
