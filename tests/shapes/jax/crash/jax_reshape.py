# jax: TypeError: cannot reshape array of shape (64, 28, 28) (size 50176) into shape (64, 1024)
import jax.numpy as jnp

batch = jnp.zeros((64, 28, 28))
flat = batch.reshape(64, 1024)  # expect: DP603  # fixed: flat = batch.reshape(64, 784)
