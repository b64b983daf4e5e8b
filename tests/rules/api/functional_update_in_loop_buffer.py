from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

CAPACITY = 100_000


def insert(store, index, row):
    return jax.tree_util.tree_map(lambda buffer, value: buffer.at[index].set(value), store, row)


@partial(jax.jit, donate_argnums=(0,))
def insert_in_place(store, index, row):
    return jax.tree_util.tree_map(lambda buffer, value: buffer.at[index].set(value), store, row)


class Replay:
    def __init__(self, width):
        self.store = {"obs": jnp.zeros((CAPACITY, width)), "reward": jnp.zeros(CAPACITY)}
        self.rewards = jnp.zeros((CAPACITY,))
        self.recent = jnp.zeros((16, width))
        self.seen = np.zeros((CAPACITY, width))
        self.counts = jnp.zeros(CAPACITY)
        self.size = 0

    def add(self, obs, reward):
        self.store = insert(self.store, self.size, {"obs": obs, "reward": reward})  # expect: DP121
        self.rewards = self.rewards.at[self.size].set(reward)  # expect: DP121
        self.recent = self.recent.at[self.size % 16].set(obs)
        self.seen[self.size] = obs
        self.size += 1

    def add_all(self, rows):
        self.counts = self.counts.at[: len(rows)].set(rows)

    def reset(self):
        self.rewards = self.rewards.at[0].set(0.0)


class Donated:
    def __init__(self, width):
        self.store = {"obs": jnp.zeros((CAPACITY, width))}
        self.size = 0

    def add(self, obs):
        self.store = insert_in_place(self.store, self.size, {"obs": obs})
        self.size += 1


def collect(env, steps):
    replay = Replay(8)
    donated = Donated(8)
    for step in range(steps):
        obs, reward = env.step(step)
        replay.add(obs, reward)
        donated.add(obs)
    replay.reset()
    return replay
