from typing import Any, NamedTuple

import jax
import optax
from flax.training.train_state import TrainState

tx = optax.adam(1e-3)


class Carry(NamedTuple):
    params: Any
    state: Any


def loss_fn(params, batch):
    return ((batch @ params) ** 2).mean()


def update(carry, batch):
    loss, grads = jax.value_and_grad(loss_fn)(carry.params, batch)
    updates, state = tx.update(grads, carry.state, carry.params)
    return Carry(optax.apply_updates(carry.params, updates), state), loss


def last_of_pair(params, state, batches):
    def body(carry, batch):
        params, state = carry
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        updates, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        return (params, state), (loss, params)  # expect: DP281

    carry, (losses, history) = jax.lax.scan(body, (params, state), batches)
    return jax.tree.map(lambda leaf: leaf[-1], history), losses


class Runner:
    def _body(self, carry, batch):
        carry, loss = update(carry, batch)
        return carry, {"loss": loss, "params": carry.params}  # expect: DP281

    def _run(self, carry, batches):
        return jax.lax.scan(self._body, carry, batches)

    def fit(self, carry, chunks):
        for batches in chunks:
            carry, rows = self._run(carry, batches)
            print(rows["loss"].mean())
        return carry


def with_state(state: TrainState, batches):
    def body(state, batch):
        grads = jax.grad(loss_fn)(state.params, batch)
        state = state.apply_gradients(grads=grads)
        return state, state  # expect: DP281

    state, _ = jax.lax.scan(body, state, batches)
    return state


def all_wanted(params, state, batches, evaluate):
    def body(carry, batch):
        params, state = carry
        grads = jax.grad(loss_fn)(params, batch)
        updates, state = tx.update(grads, state, params)
        params = optax.apply_updates(params, updates)
        return (params, state), params  # hint: DP281

    carry, history = jax.lax.scan(body, (params, state), batches)
    return carry, jax.vmap(evaluate)(history)


def only_losses(carry, batches):
    def body(carry, batch):
        carry, loss = update(carry, batch)
        return carry, {"loss": loss, "norm": optax.global_norm(carry.params)}

    return jax.lax.scan(body, carry, batches)
