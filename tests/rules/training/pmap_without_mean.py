import functools

import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


def loss_fn(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@functools.partial(jax.pmap, axis_name="batch")
def step(params, state, x, y):
    grads = jax.grad(loss_fn)(params, x, y)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state  # expect: DP915


@jax.pmap
def flax_step(state, x, y):
    loss, grads = jax.value_and_grad(lambda p: loss_fn(p, x, y))(state.params)
    return state.apply_gradients(grads=grads), loss  # expect: DP915


def later(state, x, y):
    grads = jax.grad(loss_fn)(state.params, x, y)
    return state.apply_gradients(grads=grads)  # expect: DP915


parallel = jax.pmap(later, axis_name="i")


@functools.partial(jax.pmap, axis_name="batch")
def averaged(params, state, x, y):
    grads = jax.lax.pmean(jax.grad(loss_fn)(params, x, y), "batch")
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state


def mean(tree):
    return jax.lax.pmean(tree, axis_name="batch")


@functools.partial(jax.pmap, axis_name="batch")
def averaged_by_helper(state, x, y):
    grads = mean(jax.grad(loss_fn)(state.params, x, y))
    return state.apply_gradients(grads=grads)


@jax.pmap
def evaluate(params, x, y):
    return loss_fn(params, x, y)


@functools.partial(jax.pmap, axis_name="batch")
def averaged_loss(params, state, x, y):
    grads = jax.grad(lambda p: jax.lax.pmean(loss_fn(p, x, y), "batch"))(params)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state
