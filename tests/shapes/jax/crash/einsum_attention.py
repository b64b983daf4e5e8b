# jax: einsum gives h the sizes 4 and 9
import jax
import jax.numpy as jnp


def attention(q, k, v):
    d = q.shape[-1]
    scores = jnp.einsum('bqhd,bkhd->bhqk', q, k) / jnp.sqrt(d)
    w = jax.nn.softmax(scores, axis=-1)
    return jnp.einsum('bhqk,bhkd->bqhd', w, v)  # expect: DP602  # fixed: return jnp.einsum('bhqk,bkhd->bqhd', w, v)


key = jax.random.PRNGKey(0)
q = jax.random.normal(key, (2, 7, 4, 16))
k = jax.random.normal(key, (2, 9, 4, 16))
v = jax.random.normal(key, (2, 9, 4, 16))
print(attention(q, k, v).shape)
