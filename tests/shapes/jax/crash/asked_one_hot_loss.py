# TypeError: mul got incompatible shapes for broadcasting: (32, 10), (32,).
import jax
import jax.numpy as jnp

def cross_entropy(logits, labels):
    logp = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.sum(logp * labels, axis=-1))  # expect: DP602 # fixed: return -jnp.mean(jnp.sum(logp * jax.nn.one_hot(labels, 10), axis=-1))

logits = jnp.zeros((32, 10))
labels = jnp.zeros((32,), dtype=int)
print(cross_entropy(logits, labels))
