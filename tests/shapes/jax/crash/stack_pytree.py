# jax: + of [2, 6] and [3] is invalid: 6 is not 3
import jax
import jax.numpy as jnp

layers = {
    'w1': jnp.ones((6, 12)),
    'w2': jnp.ones((12, 6)),  # fixed: 'w2': jnp.ones((12, 3)),
    'b2': jnp.zeros((3,)),
}


@jax.jit
def forward(p, x):
    h = jax.nn.relu(x @ p['w1'])
    return h @ p['w2'] + p['b2']  # expect: DP602


print(forward(layers, jnp.ones((2, 6))))
