# optax: ValueError: Incompatible shapes for broadcasting: (32, 10) and (32,)
import jax
import jax.numpy as jnp
import optax

logits = jnp.zeros((32, 10))
labels = jax.random.randint(jax.random.PRNGKey(0), (32,), 0, 10)
loss = optax.softmax_cross_entropy(logits, labels).mean()  # expect: DP605 or DP602  # fixed: loss = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
