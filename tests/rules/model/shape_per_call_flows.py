import dataclasses

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class Batch:
    tokens: np.ndarray
    labels: np.ndarray


@jax.jit
def step(params, tokens):
    return jnp.sum(params * tokens)


@jax.jit
def batch_step(params, batch):
    return jnp.sum(params * batch["tokens"])


class Loader:
    def __init__(self, rows, size):
        self.rows = rows
        self.size = size
        self.width = max(len(row) for row in rows)

    def _pad(self, rows, width):
        out = np.zeros((len(rows), width), np.int32)
        for i, row in enumerate(rows):
            out[i, : len(row)] = row
        return out

    def ragged(self):
        for i in range(0, len(self.rows), self.size):
            rows = self.rows[i : i + self.size]
            lengths = [len(row) for row in rows]
            yield Batch(self._pad(rows, max(lengths)), np.zeros(len(rows)))

    def fixed(self):
        for i in range(0, len(self.rows), self.size):
            rows = self.rows[i : i + self.size]
            yield Batch(self._pad(rows, self.width), np.zeros(len(rows)))

    def rounded(self):
        for i in range(0, len(self.rows), self.size):
            rows = self.rows[i : i + self.size]
            width = -(-max(len(row) for row in rows) // 64) * 64
            yield Batch(self._pad(rows, width), np.zeros(len(rows)))

    def dicts(self):
        for i in range(0, len(self.rows), self.size):
            rows = self.rows[i : i + self.size]
            lengths = np.array([len(row) for row in rows])
            yield {"tokens": self._pad(rows, int(lengths.max())), "lengths": lengths}


def train(rows, params):
    loader = Loader(rows, 32)
    for batch in loader.ragged():
        step(params, batch.tokens)  # expect: DP224
    for batch in loader.fixed():
        step(params, batch.tokens)
    for batch in loader.rounded():
        step(params, batch.tokens)
    for batch in loader.dicts():
        batch_step(params, batch)  # expect: DP224
    for batch in map(jax.device_put, loader.dicts()):
        batch_step(params, batch)
