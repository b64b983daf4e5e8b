import jax
import jax.numpy as jnp
import optax
import pandas as pd
from flax.training import train_state


@jax.jit
def targets(q, a, y):
    q.at[jnp.arange(len(a)), a].set(y)  # expect: DP849
    return q


def in_loop(n):
    table = jnp.zeros(n)
    for i in range(n):
        table.at[i].add(1.0)  # expect: DP849
    return table


class Memory:
    def __init__(self):
        self.buffer = jnp.zeros((100, 4))

    def push(self, i, x):
        self.buffer.at[i].set(x)  # expect: DP849

    def push_right(self, i, x):
        self.buffer = self.buffer.at[i].set(x)


def scaled(x, mask):
    x.at[mask].multiply(0.5)  # expect: DP849
    x.at[0].max(0.0)  # expect: DP849
    return x


def step(params, grads, tx, opt_state):
    updates, opt_state = tx.update(grads, opt_state, params)
    optax.apply_updates(params, updates)  # expect: DP849
    return params, opt_state


def flax_step(state: train_state.TrainState, grads):
    state.apply_gradients(grads=grads)  # expect: DP849
    return state


def kept(x, i):
    return x.at[i].set(0.0)


def kept_by_name(x, i):
    x = x.at[i].set(0.0)
    return jnp.sum(x.at[i].add(1.0))


def flax_step_right(state, grads):
    state = state.apply_gradients(grads=grads)
    return state


def table(frame: pd.DataFrame):
    frame.at[0, "x"] = 1.0
    return frame


def other(registry):
    registry.at("x").set(3)
    registry.at[0].read()
