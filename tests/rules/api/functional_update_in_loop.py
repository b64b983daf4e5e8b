import jax
import jax.numpy as jnp
import tensorflow as tf


def returns(rewards, gamma):
    out = jnp.zeros_like(rewards)
    total = 0.0
    for t in reversed(range(len(rewards))):
        total = rewards[t] + gamma * total
        out = out.at[t].set(total)  # expect: DP121
    return out


def table(n):
    grid = jnp.zeros((100, 100))
    for i in range(100):
        for j in range(100):
            grid = grid.at[i, j].set(i * j)  # expect: DP121
    return grid


def of_tensorflow(values):
    out = tf.zeros(1000)
    for i in range(1000):
        out = tf.tensor_scatter_nd_update(out, [[i]], [out[i - 1] + values])  # expect: DP121
    return out


def for_others(x):
    for i in range(x.shape[0]):
        x = x.at[i].set(x[i - 1])  # hint: DP121
    return x


def by_channel(images, channels):
    for i in range(channels):
        images = images.at[..., i].set(0)  # hint: DP121
    return images


def few(x):
    for i in range(3):
        x = x.at[i].set(0)
    return x


@jax.jit
def compiled(x):
    for i in range(20):
        x = x.at[i].set(x[i - 1])
    return x


def whole(x, steps):
    for _ in range(steps):
        x = x.at[1:-1].add(x[2:])
    return x


def other(x, y):
    for i in range(len(x)):
        y = x.at[i].set(0)
    return y


print(returns(jnp.ones(1000), 0.9), table(3), of_tensorflow(1.0))
