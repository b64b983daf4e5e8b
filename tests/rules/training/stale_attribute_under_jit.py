from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp


class Annealed:
    def __init__(self):
        self.beta = 0.0
        self.scale = 2.0
        self.step = jax.jit(self._step)

    def _loss(self, params, x):
        return jnp.sum(params * x) * self.beta * self.scale  # expect: DP851

    def _step(self, params, x):
        return jax.value_and_grad(self._loss)(params, x)

    def fit(self, params, batches):
        for i, x in enumerate(batches):
            self.beta = i / 1000
            self.step(params, x)


class Decorated:
    def __init__(self, lr):
        self.lr = lr

    @partial(jax.jit, static_argnums=0)
    def update(self, params, grads):
        return params - self.lr * grads  # expect: DP851

    def decay(self):
        self.lr *= 0.5


def train(params, epochs):
    trainer = Decorated(0.1)
    for epoch in range(epochs):
        params = trainer.update(params, params)
        trainer.decay()
    return params


class Passed:
    def __init__(self):
        self.beta = 0.0
        self.step = jax.jit(self._step)

    def _step(self, x, beta):
        return jnp.sum(x) * beta

    def fit(self, batches):
        for i, x in enumerate(batches):
            self.beta = i / 1000
            self.step(x, self.beta)


class SetUpOnce:
    def __init__(self):
        self.size = 3
        self.step = jax.jit(self._step)

    def setup(self, data):
        self.size = len(data)

    def _step(self, x):
        return jnp.sum(x) * self.size


class Hashed:
    def __init__(self):
        self.beta = 0.0

    def __hash__(self):
        return hash(self.beta)

    def __eq__(self, other):
        return self.beta == other.beta

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        return jnp.sum(x) * self.beta

    def fit(self, batches):
        for i, x in enumerate(batches):
            self.beta = i / 1000
            self.step(x)


class Module(nn.Module):
    beta: float = 0.0

    @jax.jit
    def run(self, x):
        return jnp.sum(x) * self.beta

    def fit(self, batches):
        for i, x in enumerate(batches):
            self.beta = i / 1000
            self.run(x)


class NotCompiled:
    def __init__(self):
        self.beta = 0.0

    def step(self, x):
        return jnp.sum(x) * self.beta

    def fit(self, batches):
        for i, x in enumerate(batches):
            self.beta = i / 1000
            self.step(x)
