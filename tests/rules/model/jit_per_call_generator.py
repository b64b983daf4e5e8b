import jax
import jax.numpy as jnp
import numpy as np


class Embedder:
    def __init__(self, model, variables):
        self.model = model
        self.variables = variables
        self._forward = jax.jit(lambda v, x: self.model.apply(v, x))

    def embed(self, batch):
        forward = jax.jit(lambda v, x: self.model.apply(v, x))  # expect: DP220
        return forward(self.variables, batch)

    def embed_kept(self, batch):
        return self._forward(self.variables, batch)

    def norm(self, rows):
        length = jax.jit(lambda x: jnp.sqrt((x**2).sum()))  # hint: DP220
        return length(rows)


def chunks(rows, size):
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


class Gallery:
    def __init__(self, embedder):
        self.embedder = embedder

    def vectors(self, rows):
        for chunk in chunks(rows, 64):
            yield self.embedder.embed(np.asarray(chunk)), self.embedder.embed_kept(np.asarray(chunk))


def main(model, variables, rows):
    embedder = Embedder(model, variables)
    return list(Gallery(embedder).vectors(rows)), embedder.norm(rows)
