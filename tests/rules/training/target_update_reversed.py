import jax
import optax
import tensorflow as tf

TAU = 0.005


@jax.jit
def reversed_update(target, online, tau=0.01):
    return jax.tree.map(lambda t, o: tau * t + (1 - tau) * o, target, online)  # expect: DP973


@jax.jit
def update(target, online, tau=0.01):
    return jax.tree.map(lambda t, o: (1 - tau) * t + tau * o, target, online)


class Agent:
    def __init__(self, params, tau=0.005):
        self.params = params
        self.target = params
        self.average = params
        self.tau = tau

    def learn(self, params):
        self.params = params
        self.target = optax.incremental_update(self.target, self.params, self.tau)  # expect: DP973
        self.average = optax.incremental_update(self.params, self.average, self.tau)

    def follow(self):
        self.target = reversed_update(self.target, self.params)
        self.average = update(self.average, self.params)


def assign(online, target):
    for o, t in zip(online.variables, target.variables):
        t.assign(TAU * t + (1.0 - TAU) * o)  # expect: DP973


def assign_slowly(online, target):
    for o, t in zip(online.variables, target.variables):
        t.assign(TAU * o + (1.0 - TAU) * t)


def mixed(first, second):
    return jax.tree.map(lambda a, b: 0.1 * a + 0.9 * b, first, second)
