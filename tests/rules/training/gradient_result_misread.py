import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

tx = optax.sgd(0.1)


def loss_with_logits(params, x, y):
    logits = x @ params
    return jnp.mean((logits - y) ** 2), logits


def loss_alone(params, x, y):
    return jnp.mean((x @ params - y) ** 2)


@jax.jit
def missing(params, x, y):
    (loss, logits), grads = jax.value_and_grad(loss_with_logits)(params, x, y)  # expect: DP949
    return params - grads, loss, logits


class Trainer:
    def loss(self, params, x):
        return jnp.mean(x @ params), {"norm": jnp.sum(params)}

    @staticmethod
    @jax.jit
    def step(params, x):
        return params - jax.grad(lambda p: (jnp.mean(x @ p), p))(params)  # expect: DP949

    def update(self, params, x):
        gradient = jax.grad(self.loss)  # expect: DP949
        return gradient(params, x)


@jax.jit
def too_much(params, x, y):
    (loss, _), grads = jax.value_and_grad(loss_alone, has_aux=True)(params, x, y)  # expect: DP949
    return params - grads, loss


@jax.jit
def three(params, x, y):
    loss, logits, grads = jax.value_and_grad(loss_with_logits, has_aux=True)(params, x, y)  # expect: DP949
    return params - grads, loss, logits


@jax.jit
def swapped(params, state, x, y):
    grads, loss = jax.value_and_grad(loss_alone)(params, x, y)  # expect: DP949
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state, loss


@jax.jit
def swapped_state(state: TrainState, x, y):
    gradient = jax.value_and_grad(loss_alone)
    grads, loss = gradient(state.params, x, y)  # expect: DP949
    return state.apply_gradients(grads=grads), loss


@jax.jit
def right(params, state, x, y):
    (loss, logits), grads = jax.value_and_grad(loss_with_logits, has_aux=True)(params, x, y)
    updates, state = tx.update(grads, state)
    params = optax.apply_updates(params, updates)
    loss, grads = jax.value_and_grad(loss_alone)(params, x, y)
    outputs, grads = jax.value_and_grad(loss_with_logits, has_aux=True)(params, x, y)
    return params, state, loss, logits, grads, outputs


def several(params, x):
    if x is None:
        return 0.0
    return jnp.mean(params), x


def unknown(params, loss_fn, x):
    return jax.grad(loss_fn)(params, x), jax.grad(several)(params, x)
