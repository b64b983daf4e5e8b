from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames=("sizes",))
def network(x, sizes):
    for size in sizes:
        x = jnp.tanh(x) * size
    return x


@partial(jax.jit, static_argnums=(0, 1))
def scaled(x, n):
    return x * n


class Net:
    @partial(jax.jit, static_argnums=(0, 2))
    def apply(self, x, options):
        return x * options["scale"]


def run(x, sizes):
    a = network(x, sizes=[32, 64])  # expect: DP960
    layers = [16, 16]
    b = network(x, layers)  # expect: DP960
    c = scaled(jnp.ones(3), 2)  # expect: DP960
    d = Net().apply(x, {"scale": 2.0})  # expect: DP960
    e = network(x, sizes=(32, 64))
    f = network(x, tuple(layers))
    g = network(x, sizes)
    h = network([x, x], (1, 2))
    return a, b, c, d, e, f, g, h


class Sampler:
    def __init__(self, net):
        self.net = net
        self.sample = jax.jit(self._sample, static_argnums=2)
        self.draw = jax.jit(self._draw, static_argnums=(1,))

    def _sample(self, params, key, count):
        return jax.random.normal(key, (count, 3)) @ params

    def _draw(self, key, sizes):
        return [jax.random.normal(key, (size,)) for size in sizes]

    def run(self, params):
        key = jax.random.PRNGKey(0)
        drawn = self.draw(key, [3, 4])  # expect: DP960
        return self.sample(params, jax.random.fold_in(key, 1), 16), drawn
