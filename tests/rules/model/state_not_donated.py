import functools

import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


@jax.jit  # hint: DP225
def step(params, opt_state, batch):
    grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


@functools.partial(jax.jit, donate_argnums=(0, 1))
def donating(params, opt_state, batch):
    grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


@jax.jit
def evaluate(params, batch):
    return jnp.mean(batch @ params)


def train(params, batches):
    opt_state = optimizer.init(params)
    for batch in batches:
        params, opt_state = step(params, opt_state, batch)
    for batch in batches:
        params, opt_state = donating(params, opt_state, batch)
    total = 0.0
    for batch in batches:
        total = total + evaluate(params, batch)
    return params, total
