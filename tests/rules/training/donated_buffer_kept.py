import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, donate_argnums=(0,))
def train_step(state, x):
    return state - 0.1 * x, jnp.mean(state)


plain_step = jax.jit(lambda state, x: (state - 0.1 * x, jnp.mean(state)))
second_step = jax.jit(lambda x, state: (state - 0.1 * x, jnp.mean(state)), donate_argnums=1)


def best_state(state, batches):
    best, lowest = None, float("inf")
    for x in batches:
        state, loss = train_step(state, x)
        if loss < lowest:  # expect: DP116
            best, lowest = state, loss  # expect: DP954
    return best


def best_parameters(state, batches, evaluate):
    best = None
    for epoch in range(10):
        for x in batches:
            state, loss = second_step(x, state)
        if evaluate(state):
            best = state.params  # expect: DP954
    return best


class Trainer:
    def fit(self, state, batches):
        for x in batches:
            state, loss = train_step(state, x)
            self.state = state  # expect: DP954
        return loss


def copied(state, batches):
    best = None
    for x in batches:
        state, loss = train_step(state, x)
        best = jax.tree_util.tree_map(jnp.copy, state)
    return best


def not_donated(state, batches):
    best = None
    for x in batches:
        state, loss = plain_step(state, x)
        best = state
    return best


def read_at_once(state, batches):
    for x in batches:
        state, loss = train_step(state, x)
        weights = state
        print(weights.shape)
    return state


def in_a_dict(state, batches):
    best = {"loss": float("inf")}
    history = []
    for x in batches:
        state, loss = train_step(state, x)
        best.update(loss=loss, params=state.params)  # expect: DP954
        best["state"] = state  # expect: DP954
        history.append(loss)
    return best, history
