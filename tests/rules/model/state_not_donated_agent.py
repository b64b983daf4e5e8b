# An agent keeps the state between the steps that a loop asks it for.
import functools

import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


@functools.partial(jax.jit, static_argnames=("discount",))  # hint: DP225
def update_jit(rng, actor: TrainState, batch, discount):
    rng, key = jax.random.split(rng)
    loss, grads = jax.value_and_grad(lambda p: jnp.mean(actor.apply_fn(p, batch) ** 2) * discount)(actor.params)
    return rng, actor.apply_gradients(grads=grads), {"loss": loss, "key": key}


@functools.partial(jax.jit, donate_argnums=(1,))
def update_donated(rng, actor: TrainState, batch):
    rng, key = jax.random.split(rng)
    loss, grads = jax.value_and_grad(lambda p: jnp.mean(actor.apply_fn(p, batch) ** 2))(actor.params)
    return rng, actor.apply_gradients(grads=grads), {"loss": loss, "key": key}


@jax.jit
def measure(rng, actor: TrainState, batch):
    rng, key = jax.random.split(rng)
    return rng, jnp.mean(actor.apply_fn(actor.params, batch)), key


class Agent:
    def __init__(self, rng, params, apply_fn):
        self.rng = rng
        self.actor = TrainState.create(apply_fn=apply_fn, params=params, tx=optax.adam(3e-4))

    def update(self, batch):
        new_rng, new_actor, info = update_jit(self.rng, self.actor, batch, 0.99)
        self.rng = new_rng
        self.actor = new_actor
        return info

    def update_in_place(self, batch):
        new_rng, new_actor, info = update_donated(self.rng, self.actor, batch)
        self.rng = new_rng
        self.actor = new_actor
        return info

    def loss(self, batch):
        new_rng, loss, key = measure(self.rng, self.actor, batch)
        self.rng = new_rng
        return loss, key


def train(agent: Agent, batches):
    infos = []
    for batch in batches:
        infos.append(agent.update(batch))
        infos.append(agent.update_in_place(batch))
        infos.append(agent.loss(batch))
    return infos
