import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def score(params, x):
    return jnp.tanh(x @ params).sum()


@jax.jit
def of_one(params, image, label):
    logits = image[None] @ params
    return jnp.sum(logits[0] * label)


gradient = jax.jit(jax.grad(lambda params, x: jnp.sum((params * x) ** 2)))


def rows(params, xs):
    return jnp.stack([score(params, x) for x in xs])  # expect: DP123


def pairs(params, images, labels):
    return [of_one(params, image, label) for image, label in zip(images, labels)]  # expect: DP123


def appended(params):
    samples = jnp.ones((1000, 16))
    out = []
    for sample in samples:
        out.append(score(params, sample))  # expect: DP123
    return jnp.stack(out)


def batches(params, loader):
    return np.mean([score(params, batch) for batch in loader])


def mapped(params):
    samples = jnp.ones((1000, 16))
    return jax.vmap(score, in_axes=(None, 0))(params, samples)


def rollout(params):
    states = jnp.ones((10, 16))
    total = 0.0
    for state in states:
        total = total + score(params, state)
    return total


def main(params):
    data = np.load("data.npz")
    x = np.asarray(data["x"])
    print(rows(params, x), pairs(params, x, x), batches(params, range(3)))
