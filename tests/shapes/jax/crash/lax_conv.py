# jax: conv_general_dilated with a kernel of [3, 3, 1, 16] takes 1 channels, but gets 3 of [8, 32, 32, 3]
import jax
import jax.numpy as jnp
from jax import lax

key = jax.random.PRNGKey(0)
img = jax.random.normal(key, (8, 32, 32, 3))
kernel = jax.random.normal(key, (3, 3, 1, 16))  # fixed: kernel = jax.random.normal(key, (3, 3, 3, 16))
out = lax.conv_general_dilated(  # expect: DP601
    img, kernel, window_strides=(1, 1), padding='SAME',
    dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
out = jax.nn.relu(out)
pooled = out.mean(axis=(1, 2))
print(pooled.shape)
