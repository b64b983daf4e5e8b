from functools import partial

import jax
import jax.numpy as jnp

activations = {}


def layer(name, x, w):
    y = jnp.tanh(x @ w)
    activations[name] = y  # expect: DP222
    return y


@jax.jit
def network(params, x):
    return layer("b", layer("a", x, params["a"]), params["b"])


class Graph:
    def __init__(self, n):
        self.n = n
        self.embeddings = None

    @partial(jax.jit, static_argnums=0)
    def __call__(self, params, x):
        h = jnp.tanh(x @ params)
        self.embeddings = h  # expect: DP222
        return h

    @partial(jax.jit, static_argnums=0)
    def forward(self, params, x):
        local = {}
        local["h"] = jnp.tanh(x @ params)
        self.unread = local["h"]
        self.n = 3
        return local["h"]


def main(params, x):
    graph = Graph(3)
    graph(params, x)
    network(params, x)
    print(graph.embeddings, activations)
