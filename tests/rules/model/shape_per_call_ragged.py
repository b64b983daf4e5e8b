import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


@nnx.jit
def train_step(model, optimizer, ids, mask, labels):
    def loss_fn(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(ids, mask), labels).mean()

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


class Ragged:
    def __init__(self, rows, limit):
        self.ids = [np.asarray(row["ids"][:limit], dtype=np.int32) for row in rows]
        self.labels = np.asarray([row["label"] for row in rows], dtype=np.int32)
        self.limit = limit

    def padded(self, longest):
        return min(longest, self.limit)

    def collate(self, index):
        rows = [self.ids[i] for i in index]
        length = self.padded(max(len(row) for row in rows))
        ids = np.zeros((len(rows), length), np.int32)
        mask = np.zeros((len(rows), length), np.float32)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1.0
        return ids, mask, self.labels[index]

    def epoch(self, size, rng):
        order = rng.permutation(len(self.ids))
        for start in range(0, len(order) - size + 1, size):
            yield self.collate(order[start : start + size])


class Open:
    def __init__(self, rows, limit):
        self.ids = [np.asarray(row["ids"][:limit], dtype=np.int32) for row in rows]
        self.limit = limit

    def collate(self, index):
        rows = [self.ids[i] for i in index]
        ids = np.zeros((len(rows), max(len(row) for row in rows)), np.int32)
        return ids, ids > 0, ids[:, 0]

    def epoch(self, size):
        for start in range(0, len(self.ids) - size + 1, size):
            yield self.collate(range(start, start + size))


class Bucketed(Open):
    def collate(self, index):
        rows = [self.ids[i] for i in index]
        ids = np.zeros((len(rows), self.limit), np.int32)
        return ids, ids > 0, ids[:, 0]


def fit(model, optimizer, rows, rng):
    data = Ragged(rows, 2048)
    for _ in range(10):
        losses = [train_step(model, optimizer, *batch) for batch in data.epoch(64, rng)]  # expect: DP224
        print(float(jnp.stack(losses).mean()))


def fit_in_loop(model, optimizer, rows, rng):
    for ids, mask, labels in Ragged(rows, 2048).epoch(64, rng):
        train_step(model, optimizer, ids, mask, labels)  # expect: DP224


def fit_starred(model, optimizer, rows, rng):
    for batch in Ragged(rows, 512).epoch(64, rng):
        train_step(model, optimizer, *batch)  # expect: DP224


# ---- clean --------------------------------------------------------------------------------------------------------


def fit_padded(model, optimizer, rows, rng):
    return [train_step(model, optimizer, *batch) for batch in Bucketed(rows, 512).epoch(64)]


def fit_arrays(model, optimizer, ids, mask, labels, size):
    return [
        train_step(model, optimizer, ids[i : i + size], mask[i : i + size], labels[i : i + size])
        for i in range(0, len(ids) - size + 1, size)
    ]


def fit_few(model, optimizer, batches):
    return [train_step(model, optimizer, *batch) for batch in batches]
