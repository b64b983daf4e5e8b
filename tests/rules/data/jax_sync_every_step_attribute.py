# Compiled functions that the constructor keeps.
import functools

import jax
import jax.numpy as jnp
import numpy as np


@functools.cache
def make_eval(predict):
    @jax.jit
    def evaluate(params, batch, labels):
        logits, *_ = predict(params, batch)
        return jnp.sum(jnp.argmax(logits, 1) == labels), jnp.sum(labels >= 0)

    return evaluate


class Evaluator:
    def __init__(self, predict, data):
        self.data = data
        self.seen = set()
        self.evaluate = make_eval(predict)
        self.count = jax.jit(jnp.sum)

    def run(self, params):
        correct, total = 0, 0
        for _, batch in zip(range(100), self.data()):
            labels = batch.pop("labels")
            one, n = jax.device_get(self.evaluate(params, batch, labels))  # expect: DP116
            correct += one
            total += n
        return correct / total

    def count_all(self):
        counts = []
        for batch in self.data():
            counts.append(jax.device_get(self.count(batch["mask"])))  # expect: DP116
            if self.count not in self.seen:
                self.seen.add(self.count)
        return np.sum(counts)

    def count_at_once(self):
        counts = []
        for batch in self.data():
            counts.append(self.count(batch["mask"]))
        return np.sum(jax.device_get(counts))


class Changing:
    def __init__(self, data):
        self.data = data
        self.total = jax.jit(jnp.sum)

    def run(self):
        counts = []
        for batch in self.data():
            counts.append(jax.device_get(self.total(batch["mask"])))  # hint: DP116
            self.total = jax.jit(jnp.mean)
        return counts
