import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

LIMIT = 256


def collate(rows):
    width = min(LIMIT, max(len(row) for row in rows))
    tokens = np.zeros((len(rows), width), np.int32)
    for i, row in enumerate(rows):
        tokens[i, : len(row)] = row[:width]
    return tokens, tokens != 0


def collate_in_steps(rows):
    longest = max(len(row) for row in rows)
    width = min(LIMIT, -(-longest // 64) * 64)
    return np.zeros((len(rows), width), np.int32), longest


def as_dict(rows):
    width = max(map(len, rows))
    return {"tokens": np.full((len(rows), width), 0), "count": np.zeros(len(rows))}


def batches(rows, size, make):
    while True:
        for i in range(0, len(rows), size):
            yield make(rows[i : i + size])


def ragged(rows, size):
    while True:
        for i in range(0, len(rows), size):
            yield collate(rows[i : i + size])


def bucketed(rows, size):
    for i in range(0, len(rows), size):
        yield collate_in_steps(rows[i : i + size])


def named(rows, size):
    for i in range(0, len(rows), size):
        yield as_dict(rows[i : i + size])


def fixed(rows, size):
    for i in range(0, len(rows), size):
        yield np.zeros((size, LIMIT), np.int32), np.zeros(size)


def make_step():
    @eqx.filter_jit
    def step(batch, model):
        return jnp.sum(batch[0]) + model

    return step


@jax.jit
def entry_step(batch, model):
    return jnp.sum(batch["tokens"]) + model


def main(rows, model, steps):
    step = make_step()
    for i, batch in zip(range(steps), ragged(rows, 32)):
        model = step(batch, model)  # expect: DP224
    for i, (tokens, mask) in enumerate(ragged(rows, 32)):
        model = step((tokens, mask), model)  # expect: DP224
        model = step(tokens, model)  # expect: DP224
    for batch in named(rows, 32):
        model = entry_step(batch, model)  # expect: DP224
    for i, batch in zip(range(steps), bucketed(rows, 32)):
        model = step(batch, model)
    for i, batch in zip(range(steps), fixed(rows, 32)):
        model = step(batch, model)
    for batch in batches(rows, 32, collate_in_steps):
        model = step(batch, model)
    return model
