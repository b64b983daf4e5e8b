import jax
import jax.numpy as jnp
import flax
import flax.linen as nn
import optax
from functools import partial
from flax.training.train_state import TrainState


class LM(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(50257)(nn.Embed(50257, 1024)(x))


def loss_and_grads(state, batch):
    def loss(p):
        return state.apply_fn({"params": p}, batch).mean()

    return jax.value_and_grad(loss)(state.params)


def raw(state, batch):
    loss, grads = loss_and_grads(state, batch)
    return state.apply_gradients(grads=grads), loss


class Trainer:
    def __init__(self, state):
        self.state = state
        self.step = jax.jit(raw)  # expect: DP225

    def fit(self, loader):
        for b in loader:
            self.state, loss = self.step(self.state, b)


@jax.jit  # expect: DP225
def two_step(state, batch):
    loss, grads = loss_and_grads(state, batch)
    return {"state": state.apply_gradients(grads=grads), "loss": loss}


def two(state, loader):
    for b in loader:
        out = two_step(state, b)
        state = out["state"]


def make():
    return jax.pmap(raw, axis_name="d")


def three(state, loader):
    step = make()
    for b in loader:
        state, loss = step(state, b)


class T(flax.struct.PyTreeNode):
    state: TrainState

    @jax.jit  # expect: DP225
    def update(self, b):
        loss, grads = loss_and_grads(self.state, b)
        return self.replace(state=self.state.apply_gradients(grads=grads)), loss


def four(t, loader):
    for b in loader:
        t, loss = t.update(b)


def epoch(step, state, loader):
    for b in loader:
        state, loss = step(state, b)
    return state


def five(state, loader):
    step = jax.jit(lambda s, b: raw(s, b))  # expect: DP225
    for e in range(10):
        state = epoch(step, state, loader)




@partial(jax.jit, donate_argnums=(0,))
def donated(state, batch):
    return raw(state, batch)


@jax.jit
def evaluate(state, batch):
    return {"state": 0, "loss": state.apply_fn({"params": state.params}, batch).mean()}


def good(state, loader):
    for b in loader:
        state, loss = donated(state, b)
        out = evaluate(state, b)
    return out["loss"], state


four(T(None), [])
