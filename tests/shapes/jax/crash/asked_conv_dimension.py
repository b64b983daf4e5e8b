# ValueError: conv_general_dilated lhs feature dimension size divided by feature_group_count must equal the rhs input feature dimension size, but 3 != 16
import jax
import jax.numpy as jnp
from jax import lax

x = jnp.ones((8, 3, 32, 32))
k = jnp.ones((32, 16, 3, 3))  # fixed: k = jnp.ones((32, 3, 3, 3))
y = lax.conv(x, k, (1, 1), 'SAME')  # expect: DP601 or DP602
