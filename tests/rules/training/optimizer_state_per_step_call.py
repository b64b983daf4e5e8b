import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


@jax.jit
def step(params, state, x):
    grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def wrong(params, data):
    for x in data:
        state = tx.init(params)  # expect: DP850
        params, state = step(params, state, x)
    return params


def right(params, data):
    state = tx.init(params)
    for x in data:
        params, state = step(params, state, x)
    return params


def adapted(start, tasks):
    results = []
    for data in tasks:
        params = start
        state = tx.init(params)
        for x in data:
            params, state = step(params, state, x)
        results.append(params)
    return results
