import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class Critic(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(64)(x)))[..., 0]


class Learner:
    def __init__(self, gamma):
        self.gamma = gamma
        self.net = Critic()
        self.update = jax.jit(jax.grad(self._loss))

    def _targets(self, params, batch):
        value = self.net.apply(params, batch["next_obs"])  # expect: DP274
        return batch["reward"] + self.gamma * value

    def _loss(self, params, batch):
        value = self.net.apply(params, batch["obs"])
        error = self._targets(params, batch) - value
        return jnp.square(error).mean()


def stopped_loss(params, net: Critic, batch):
    value = net.apply(params, batch["obs"])
    target = jax.lax.stop_gradient(batch["reward"] + 0.99 * net.apply(params, batch["next_obs"]))
    return ((target - value) ** 2).mean()


def other_loss(params, old, net: Critic, batch):
    value = net.apply(params, batch["obs"])
    target = batch["reward"] + 0.99 * net.apply(old, batch["next_obs"])
    return optax.huber_loss(value, target).mean()


def plain_loss(params, net: Critic, batch):
    value = net.apply(params, batch["obs"])
    target = batch["reward"] + 0.99 * batch["alive"] * net.apply(params, batch["next_obs"])  # expect: DP274
    return optax.l2_loss(value, target).mean()


def consistency(params, net: Critic, a, b):
    return ((net.apply(params, a) - net.apply(params, b)) ** 2).mean()


@jax.jit
def gradients(params, old, net, batch, a, b):
    return (
        jax.grad(stopped_loss)(params, net, batch),
        jax.grad(other_loss)(params, old, net, batch),
        jax.grad(plain_loss)(params, net, batch),
        jax.grad(consistency)(params, net, a, b),
    )
