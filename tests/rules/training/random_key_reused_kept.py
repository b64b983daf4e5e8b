"""Keys that a train state, an object or a dictionary keeps, and that nothing changes between steps."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import struct
from flax.training import train_state


class KeyState(train_state.TrainState):
    key: jax.Array


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(64)(x)
        return nn.Dropout(0.5, deterministic=not train)(x)


def create(seed):
    first, second = jax.random.split(jax.random.PRNGKey(seed))
    net = Net()
    params = net.init(first, jnp.ones((1, 8)), train=False)["params"]
    return KeyState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3), key=second)


@functools.partial(jax.jit, donate_argnums=0)
def same_step(state, x):
    def loss_fn(params):
        out = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": state.key})  # expect: DP825
        return out.mean()

    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads)


@functools.partial(jax.jit, donate_argnums=0)
def split_step(state, x):
    key, sub = jax.random.split(state.key)

    def loss_fn(params):
        return state.apply_fn({"params": params}, x, train=True, rngs={"dropout": sub}).mean()

    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads, key=key)


@functools.partial(jax.jit, donate_argnums=0)
def replaced_step(state, x):
    key, sub = jax.random.split(state.key)

    def loss_fn(params):
        return state.apply_fn({"params": params}, x, train=True, rngs={"dropout": sub}).mean()

    grads = jax.grad(loss_fn)(state.params)
    state = state.apply_gradients(grads=grads)
    return state.replace(key=key)


@functools.partial(jax.jit, donate_argnums=0)
def dropped_step(state, x):
    _, sub = jax.random.split(state.key)

    def loss_fn(params):
        out = state.apply_fn({"params": params}, x, train=True, rngs={"dropout": sub})  # expect: DP825
        return out.mean()

    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads)


@functools.partial(jax.jit, donate_argnums=0)
def folded_step(state, x):
    key = jax.random.fold_in(state.key, state.step)

    def loss_fn(params):
        return state.apply_fn({"params": params}, x, train=True, rngs={"dropout": key}).mean()

    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads)


def train_same(data):
    state = create(0)
    for x in data:
        state = same_step(state, x)
    return state


def train_split(data):
    state = create(0)
    for x in data:
        state = split_step(state, x)
    return state


def train_replaced(data):
    state = create(0)
    for x in data:
        state = replaced_step(state, x)
    return state


def train_dropped(data):
    state = create(0)
    for x in data:
        state = dropped_step(state, x)
    return state


def train_folded(data):
    state = create(0)
    for x in data:
        state = folded_step(state, x)
    return state


# ---- A dictionary as state, and a step that carries the key through a tuple ----


TX = optax.sgd(0.1)


@jax.jit
def dict_step(state, x):
    noise = jax.random.normal(state["key"], x.shape)  # expect: DP825
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((p * (x + noise)) ** 2))(state["params"])
    updates, opt = TX.update(grads, state["opt"])
    return {**state, "params": optax.apply_updates(state["params"], updates), "opt": opt}, loss


def train_dict(data):
    params = jnp.ones(8)
    state = {"params": params, "key": jax.random.PRNGKey(1), "opt": TX.init(params)}
    for x in data:
        state, loss = dict_step(state, x)
    return state


class Trainer:
    def __init__(self, seed):
        self.key = jax.random.PRNGKey(seed)
        self.state = create(seed)

    def next_key(self):
        self.key, sub = jax.random.split(self.key)
        return sub

    def fit(self, data):
        for x in data:
            self.state = keyed_step(self.state, x, self.next_key())


@jax.jit  # hint: DP225
def keyed_step(state, x, key):
    def loss_fn(params):
        return state.apply_fn({"params": params}, x, train=True, rngs={"dropout": key}).mean()

    grads = jax.grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads)
