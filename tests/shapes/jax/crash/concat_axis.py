# jax: concatenate of [32, 2] and [32, 16] along dimension 0 is invalid: 2 is not 16
import jax.numpy as jnp
import numpy as np


def features(x, t):
    freqs = jnp.exp(jnp.linspace(0.0, 4.0, 8))
    emb = t[:, None] * freqs[None, :]
    emb = jnp.concatenate([jnp.sin(emb), jnp.cos(emb)], axis=-1)
    return jnp.concatenate([x, emb], axis=0)  # expect: DP602  # fixed: return jnp.concatenate([x, emb], axis=-1)


x = jnp.asarray(np.random.rand(32, 2))
t = jnp.linspace(0, 1, 32)
print(features(x, t).shape)
