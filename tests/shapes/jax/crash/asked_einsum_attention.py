# ValueError: Size of label 'd' for operand 1 (32) does not match previous terms (64).
import jax
import jax.numpy as jnp

def attention(q, k, v):
    scores = jnp.einsum('bqhd,bkhd->bhqk', q, k) / jnp.sqrt(q.shape[-1])  # expect: DP602
    return jnp.einsum('bhqk,bkhd->bqhd', jax.nn.softmax(scores), v)

key = jax.random.PRNGKey(0)
q = jax.random.normal(key, (2, 10, 8, 64))
k = jax.random.normal(key, (2, 12, 8, 32))  # fixed: k = jax.random.normal(key, (2, 12, 8, 64))
v = jax.random.normal(key, (2, 12, 8, 64))
print(attention(q, k, v).shape)
