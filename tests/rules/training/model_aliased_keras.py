import copy

import tensorflow as tf


def mlp(size, out):
    return tf.keras.Sequential([tf.keras.Input((size,)), tf.keras.layers.Dense(64), tf.keras.layers.Dense(out)])


class Sac:
    def __init__(self, size, tau=0.005):
        self.tau = tau
        self.critics = [mlp(size, 1) for _ in range(2)]
        self.targets = list(self.critics)  # expect: DP921

    def update(self):
        for net, target in zip(self.critics, self.targets):
            for source, dest in zip(net.variables, target.variables):
                dest.assign(self.tau * source + (1.0 - self.tau) * dest)


class Dqn:
    def __init__(self, size, actions):
        self.online = mlp(size, actions)
        self.target = self.online  # expect: DP921

    def sync(self):
        self.target.set_weights(self.online.get_weights())


class Copies:
    def __init__(self, size):
        self.critics = [mlp(size, 1) for _ in range(2)]
        self.targets = [tf.keras.models.clone_model(net) for net in self.critics]
        self.views = list(self.critics)

    def update(self):
        for net, target in zip(self.critics, self.targets):
            target.set_weights(net.get_weights())


def soft(size, tau):
    nets = [mlp(size, 1), mlp(size, 1)]
    slow = copy.copy(nets)  # expect: DP921
    for target, net in zip(slow, nets):
        target.set_weights(net.get_weights())
    return nets, slow
