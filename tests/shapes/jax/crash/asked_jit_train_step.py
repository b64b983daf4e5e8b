# ValueError: Incompatible shapes for broadcasting: shapes=[(64, 1), (64, 3)] in a dot
import jax
import jax.numpy as jnp

@jax.jit
def step(params, x, y):
    def loss_fn(p):
        h = jnp.tanh(x @ p['w1'] + p['b1'])
        out = h @ p['w2'] + p['b2']  # expect: DP602
        return jnp.mean((out - y) ** 2)
    g = jax.grad(loss_fn)(params)
    return jax.tree_util.tree_map(lambda a, b: a - 0.1 * b, params, g)

key = jax.random.PRNGKey(0)
params = {'w1': jax.random.normal(key, (8, 32)), 'b1': jnp.zeros(32),
          'w2': jax.random.normal(key, (16, 1)), 'b2': jnp.zeros(1)}  # fixed: 'w2': jax.random.normal(key, (32, 1)), 'b2': jnp.zeros(1)}
params = step(params, jnp.ones((64, 8)), jnp.ones((64, 1)))
