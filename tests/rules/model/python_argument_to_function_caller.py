import dataclasses
import functools

import jax
import jax.numpy as jnp
import tensorflow as tf


@dataclasses.dataclass
class Options:
    steps: int = 100_000
    anneal: int = 40_000


@functools.partial(jax.jit, static_argnames=("epsilon",))
def select(params, obs, epsilon):
    return jnp.where(obs @ params > epsilon, 1, 0)


@jax.jit
def select_traced(params, obs, epsilon):
    return jnp.where(obs @ params > epsilon, 1, 0)


class Agent:
    def __init__(self, options, params):
        self.options = options
        self.params = params

    def epsilon(self, step):
        return max(0.05, 1.0 - 0.95 * step / self.options.anneal)

    def act(self, obs, step):
        return select(self.params, obs, self.epsilon(step))  # expect: DP207

    def act_traced(self, obs, step):
        return select_traced(self.params, obs, self.epsilon(step))

    def act_greedy(self, obs, epsilon):
        return select(self.params, obs, epsilon)


@tf.function
def weigh(batch, beta):
    return tf.reduce_mean(batch) * beta


def train_step(batch, step):
    return weigh(batch, min(1.0, step / 1000))  # expect: DP207


def train_step_with_tensor(batch, step):
    return weigh(batch, tf.constant(min(1.0, step / 1000)))


def main(env, batches):
    agent = Agent(Options(), jnp.zeros((4,)))
    obs = env.reset()
    for step in range(agent.options.steps):
        action = agent.act(obs, step)
        obs = env.step(action + agent.act_traced(obs, step) + agent.act_greedy(obs, 0.05))
    for step, batch in enumerate(batches):
        train_step(batch, step)
        train_step_with_tensor(batch, step)
