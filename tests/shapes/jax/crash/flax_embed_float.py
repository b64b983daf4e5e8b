# flax: ValueError: Input type must be an integer or unsigned integer.
import jax
import jax.numpy as jnp
import flax.linen as nn

embed = nn.Embed(num_embeddings=1000, features=64)
tokens = jnp.ones((2, 16))  # fixed: tokens = jnp.ones((2, 16), dtype=jnp.int32)
params = embed.init(jax.random.PRNGKey(0), tokens)  # expect: DP607
