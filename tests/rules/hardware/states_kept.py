import functools

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


@functools.partial(jax.jit)
def step(params, state, x):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p) ** 2))(params)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, loss


def all_of_them(params, data):
    state = tx.init(params)
    history = []
    for x in data:
        params, state, loss = step(params, state, x)
        history.append(params)  # expect: DP560
    return history


def now_and_then(params, data):
    state = tx.init(params)
    history, losses = [], []
    for i, x in enumerate(data):
        params, state, loss = step(params, state, x)
        losses.append(loss)
        if i % 1000 == 0:
            history.append(jax.device_get(params))
    return history, losses
