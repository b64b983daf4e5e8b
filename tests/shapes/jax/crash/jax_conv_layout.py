# jax: ValueError: conv_general_dilated lhs feature dimension size divided by feature_group_count must equal the rhs input feature dimension size, but 28 // 1 != 3.
import jax
import jax.numpy as jnp
from jax import lax

images = jnp.ones((8, 28, 28, 3))
kernel = jnp.ones((16, 3, 5, 5))
out = lax.conv_general_dilated(images, kernel, window_strides=(1, 1), padding="SAME")  # expect: DP601 or DP602  # fixed: out = lax.conv_general_dilated(jnp.transpose(images, (0, 3, 1, 2)), kernel, window_strides=(1, 1), padding="SAME")
