import jax
import jax.numpy as jnp
import optax
from flax.training import train_state


def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


tx = optax.adam(1e-3)
plain = optax.sgd(1e-2)


@jax.jit
def unnamed(params, batch):
    grads = jax.grad(loss)(params, batch)
    updates, _ = tx.update(grads, tx.init(params), params)  # expect: DP850
    return optax.apply_updates(params, updates)


@jax.jit
def without_state(params, batch):
    grads = jax.grad(loss)(params, batch)
    updates, _ = plain.update(grads, plain.init(params), params)
    return optax.apply_updates(params, updates)


def once(params, batch):
    grads = jax.grad(loss)(params, batch)
    updates, _ = tx.update(grads, tx.init(params), params)
    return optax.apply_updates(params, updates)


@jax.jit  # hint: DP225
def step_of(state, batch):
    return state.apply_gradients(grads=jax.grad(loss)(state.params, batch))


def created(params, batches):
    grad = jax.jit(jax.grad(loss))
    for batch in batches:
        state = train_state.TrainState.create(apply_fn=None, params=params, tx=tx)  # expect: DP850
        state = state.apply_gradients(grads=grad(params, batch))
        params = state.params
    return params


def folds(all_params, batches):
    results = []
    for params in all_params:
        state = train_state.TrainState.create(apply_fn=None, params=params, tx=tx)
        for batch in batches:
            state = step_of(state, batch)
        results.append(state.params)
    return results


def body(params, batch):
    state = tx.init(params)  # expect: DP850
    grads = jax.grad(loss)(params, batch)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), None


def scanned(params, batches):
    return jax.lax.scan(body, params, batches)[0]


@jax.jit
def gradients(params, xs, ys):
    return params


def per_example(params, xs, ys):
    grad = jax.jit(jax.grad(loss))
    kept = jnp.stack([grad(params, x) for x, y in zip(xs, ys)])  # expect: DP117
    total = sum(grad(params, x) for x in xs)
    return kept, total


def of_models(models, x):
    grad = jax.jit(jax.grad(loss))
    return [grad(params, x) for params in models]
