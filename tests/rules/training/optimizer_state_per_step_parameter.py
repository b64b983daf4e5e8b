import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x):
    return jnp.mean((x @ params) ** 2)


class Runner:
    def __init__(self, lr):
        self.tx = optax.adam(lr)
        self.step = jax.jit(self._step)

    def _step(self, params, state, x):
        updates, state = self.tx.update(jax.grad(loss_fn)(params, x), state, params)
        return optax.apply_updates(params, updates), state

    def forgets(self, params, state, batches):
        state = self.tx.init(params)  # expect: DP850
        for x in batches:
            params, state = self.step(params, state, x)
        return params, state

    def keeps(self, params, state, batches):
        if state is None:
            state = self.tx.init(params)
        for x in batches:
            params, state = self.step(params, state, x)
        return params, state

    def fit(self, params, batches, epochs):
        state = self.tx.init(params)
        for _ in range(epochs):
            params, state = self.forgets(params, state, batches)
        for _ in range(epochs):
            params, state = self.keeps(params, state, batches)
        return params
