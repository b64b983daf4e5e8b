import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import tensorflow as tf


def train_epoch(params, state, tx, loader):
    @jax.jit  # expect: DP220
    def step(params, state, x):
        grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    for x in loader:
        params, state = step(params, state, x)
    return params, state


def main(params, loader):
    tx = optax.adam(1e-3)
    state = tx.init(params)
    for epoch in range(100):
        params, state = train_epoch(params, state, tx, loader)
    return params


class Trainer:
    def __init__(self, tx):
        self.tx = tx

    def run_epoch(self, model, state, loader):
        @eqx.filter_jit  # expect: DP220
        def step(model, state, x):
            grads = eqx.filter_grad(lambda m: jnp.mean(m(x)))(model)
            updates, state = self.tx.update(grads, state)
            return eqx.apply_updates(model, updates), state

        for x in loader:
            model, state = step(model, state, x)
        return model, state

    def fit(self, model, state, loader, epochs):
        for _ in range(epochs):
            model, state = self.run_epoch(model, state, loader)
        return model


def tf_epoch(weights, dataset):
    @tf.function  # expect: DP206
    def step(x, w):
        return w - 0.1 * tf.reduce_mean(x)

    for x in dataset:
        weights = step(x, weights)
    return weights


def tf_main(weights, dataset):
    for epoch in range(100):
        weights = tf_epoch(weights, dataset)
    return weights


def one_run(seed, loader):
    @jax.jit
    def step(p, x):
        return p - 0.1 * jax.grad(lambda q: jnp.mean((x @ q) ** 2))(p)

    params = jax.random.normal(jax.random.PRNGKey(seed), (8,))
    for x in loader:
        params = step(params, x)
    return params


def sweep(loader):
    results = []
    for seed in range(100):
        results.append(one_run(seed, loader))
    return results


def make_step(tx):
    @jax.jit
    def step(params, state, x):
        grads = jax.grad(lambda p: jnp.mean((x @ p) ** 2))(params)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    return step
