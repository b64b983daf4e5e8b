import functools

import jax
import jax.numpy as jnp
import optax

tx = optax.sgd(0.1)


def mean_loss(params, x):
    return jnp.mean((x @ params) ** 2)


def total_loss(params, x):
    return jnp.sum((x @ params) ** 2)


def reduced(grads):
    return jax.lax.psum(grads, "batch")  # expect: DP979


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0, 1))
def summed(params, state, x):
    loss, grads = jax.value_and_grad(mean_loss)(params, x)
    updates, state = tx.update(reduced(grads), state, params)
    return optax.apply_updates(params, updates), state, loss


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0, 1))
def averaged(params, state, x):
    loss, grads = jax.value_and_grad(mean_loss)(params, x)
    updates, state = tx.update(jax.lax.pmean(grads, "batch"), state, params)
    return optax.apply_updates(params, updates), state, loss


@functools.partial(jax.pmap, axis_name="batch", donate_argnums=(0, 1))
def of_sums(params, state, x):
    loss, grads = jax.value_and_grad(total_loss)(params, x)
    updates, state = tx.update(jax.lax.psum(grads, "batch"), state, params)
    return optax.apply_updates(params, updates), state, loss
