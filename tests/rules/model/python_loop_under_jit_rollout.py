from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

STEPS = 2048
LAYERS = 12


class Rollout(NamedTuple):
    reward: jax.Array
    value: jax.Array


@partial(jax.jit, static_argnames=("gamma",))
def advantages(rollout: Rollout, last, gamma=0.99):
    adv = jnp.zeros_like(rollout.value)
    following = last
    for t in reversed(range(STEPS)):  # expect: DP221
        following = rollout.reward[t] + gamma * following
        adv = adv.at[t].set(following)
    return adv


@partial(jax.jit, static_argnames=("gamma",))
def layers(params, x, gamma=0.99):
    for i in range(LAYERS):
        x = gamma * x + params.weights[i]
    return x
