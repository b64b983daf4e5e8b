import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np


def sinusoids(length, width):
    position = jnp.arange(length)[:, None]
    rate = jnp.exp(-jnp.log(10000.0) * jnp.arange(0, width, 2) / width)
    return jnp.concatenate([jnp.sin(position * rate), jnp.cos(position * rate)], axis=-1)


class FromFunction(eqx.Module):
    table: jax.Array
    head: eqx.nn.Linear

    def __init__(self, length, width, key):
        self.table = sinusoids(length, width)  # expect: DP990
        self.head = eqx.nn.Linear(width, 1, key=key)

    def __call__(self, x):
        return jax.vmap(self.head)(x + self.table)


class Computed(eqx.Module):
    cos: jax.Array
    sin: jax.Array

    def __init__(self, length, width):
        angle = jnp.outer(jnp.arange(length), 1.0 / 10000 ** (jnp.arange(width) / width))
        self.cos = jnp.cos(angle)  # expect: DP990
        self.sin = jnp.sin(angle)  # expect: DP990

    def __call__(self, x):
        return x * self.cos + x * self.sin


class Base(eqx.Module):
    mask: jax.Array


class Masked(Base):
    def __init__(self, length):
        self.mask = jnp.tril(jnp.ones((length, length)))  # expect: DP990

    def __call__(self, scores):
        return scores * self.mask


class Constant(eqx.Module):
    static: jax.Array = eqx.field(static=True)
    array: np.ndarray
    learned: jax.Array
    phases: jax.Array
    unused: jax.Array
    scale: jax.Array

    def __init__(self, length, width, key):
        self.static = sinusoids(length, width)
        self.array = np.sin(np.arange(length))
        self.learned = jax.random.normal(key, (length, width))
        self.phases = jnp.sin(jnp.arange(length) + jax.random.uniform(jax.random.key(1), (length,)))
        self.unused = sinusoids(length, width)
        self.scale = jnp.ones(width)

    def __call__(self, x):
        return x + self.static + self.array + self.learned + self.phases + self.scale


class Plain:
    def __init__(self, length, width):
        self.table = sinusoids(length, width)

    def __call__(self, x):
        return x + self.table


@eqx.filter_value_and_grad
def loss(model, x):
    return jnp.mean(model(x) ** 2)
