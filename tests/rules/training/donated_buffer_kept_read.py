import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x):
    return jnp.mean((x @ params) ** 2)


class Trainer:
    def __init__(self, tx):
        self.tx = tx
        self.step = jax.jit(self._step, donate_argnums=(0, 1))

    def _step(self, params, state, x):
        updates, state = self.tx.update(jax.grad(loss_fn)(params, x), state, params)
        return optax.apply_updates(params, updates), state

    def fit(self, params, batches):
        state = self.tx.init(params)
        for x in batches:
            new, state = self.step(params, state, x)
            norm = optax.global_norm(jax.tree.map(jnp.subtract, new, params))  # expect: DP954
            params = new
            print(norm, x.shape)
        return params

    def fit_copies(self, params, batches):
        state = self.tx.init(params)
        for x in batches:
            new, state = self.step(jnp.copy(params), state, x)
            norm = optax.global_norm(jax.tree.map(jnp.subtract, new, params))
            params = new
            print(norm, x.shape)
        return params

    def fit_plain(self, params, batches):
        state = self.tx.init(params)
        for x in batches:
            params, state = self.step(params, state, x)
            print(optax.global_norm(params), x.shape)
        return params
