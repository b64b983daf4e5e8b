import jax
import jax.numpy as jnp
import optax


class Trainer:
    def __init__(self, model, tx):
        self.model, self.tx = model, tx
        self.dropout_key = jax.random.PRNGKey(0)
        self.noise_key = jax.random.PRNGKey(1)
        self._step = jax.jit(self._build())  # hint: DP225

    def _build(self):
        def step(state, batch, key):
            def loss_fn(params):
                out = state.apply_fn({"params": params}, batch, rngs={"dropout": key})
                return jnp.mean(out**2)

            grads = jax.grad(loss_fn)(state.params)
            return state.apply_gradients(grads=grads)

        return step

    def fit(self, state, loader):
        for batch in loader:
            state = self._step(state, batch, self.dropout_key)  # expect: DP825
        return state

    def fit_split(self, state, loader):
        for batch in loader:
            self.noise_key, key = jax.random.split(self.noise_key)
            state = self._step(state, batch, key)
        return state

    def fit_advanced(self, state, loader):
        for batch in loader:
            state = self._step(state, batch, self.noise_key)
            self.advance()
        return state

    def advance(self):
        self.noise_key, _ = jax.random.split(self.noise_key)


@jax.jit  # hint: DP225
def folded_step(state, batch, key):
    key = jax.random.fold_in(key, state.step)
    grads = jax.grad(lambda p: jnp.mean(state.apply_fn(p, batch, rngs={"dropout": key})))(state.params)
    return state.apply_gradients(grads=grads)


class Folded:
    def __init__(self):
        self.key = jax.random.PRNGKey(0)

    def fit(self, state, loader):
        for batch in loader:
            state = folded_step(state, batch, self.key)
        return state
