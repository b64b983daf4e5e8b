import time

import jax
import jax.numpy as jnp


@jax.jit
def step(state, x):
    return state + x, {"mean": jnp.mean(x)}


def timed_by_lambda(state, x):
    start = time.time()
    state, metrics = step(state, x)
    jax.tree_util.tree_map(lambda one: one.block_until_ready(), metrics)
    return state, time.time() - start


def timed_by_function(state, x):
    start = time.time()
    state, metrics = step(state, x)
    jax.tree.map(jax.block_until_ready, metrics)
    return state, time.time() - start


def timed_with_test(state, x):
    start = time.time()
    state, metrics = step(state, x)
    assert metrics["mean"] > 0
    return state, time.time() - start


def not_waited_for(state, x):
    start = time.time()
    state, metrics = step(state, x)
    metrics = jax.tree.map(lambda one: one * 2, metrics)
    return state, metrics, time.time() - start  # expect: DP154
