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


class Runner:
    def __init__(self, seed):
        self.rng = jax.random.PRNGKey(seed)
        self.other = jax.random.PRNGKey(seed + 1)

    def train(self, state, data):
        for x in data:
            state = self.step(state, x)
            state = self.split_step(state, x)
        return state

    def step(self, state, x):
        return plain_step(state, x, self.rng)  # expect: DP825

    def split_step(self, state, x):
        self.other, key = jax.random.split(self.other)
        return plain_step(state, x, key)


@jax.jit
def plain_step(state, batch, key):
    grads = jax.grad(lambda p: jnp.mean(state.apply_fn(p, batch, rngs={"dropout": key})))(state.params)
    return state.apply_gradients(grads=grads)


def weights(key, sizes):
    params = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        params.append(jax.random.normal(key, (n_in, n_out)))  # expect: DP825
    return params


def samples(key, n):
    keys = jax.random.split(key, 3)
    found = []
    for i in range(n):
        found.append(jax.random.normal(keys[0], (10,)))  # expect: DP825
        found.append(jax.random.normal(keys[i], (10,)))
        found.append(jax.random.normal(jax.random.fold_in(key, i), (10,)))
    return found
