import jax
import jax.numpy as jnp
import tensorflow as tf

STEPS = 100


@jax.jit
def fires(x):
    for step in range(1000):  # expect: DP221
        x = x + 0.01 * jnp.sin(x)
    for step in range(STEPS):  # hint: DP221
        x = jnp.cos(x)
    for step in range(10, 110, 2):  # hint: DP221
        x = jnp.cos(x)
    return x


@tf.function
def fires_too(x):
    for step in range(100):  # hint: DP221
        x = x + tf.sin(x)
    return x


@jax.jit
def silent(x, n):
    for step in range(8):
        x = jnp.sin(x)
    names = []
    for step in range(1000):
        names.append(step)
    for step in range(n):
        x = jnp.sin(x)
    return jax.lax.fori_loop(0, 1000, lambda step, y: jnp.sin(y), x)


@tf.function
def graph_loop(x):
    for step in tf.range(1000):
        x = x + tf.sin(x)
    return x


def eager(x):
    for step in range(1000):
        x = jnp.sin(x)
    return x


def cell(params, h, x):
    return jnp.tanh(h @ params + x)


def forward(params, xs):
    h = jnp.zeros((xs.shape[0], 8))
    hs = []
    for t in range(xs.shape[1]):  # hint: DP221
        h = cell(params, h, xs[:, t])
        hs.append(h)
    return jnp.stack(hs, axis=1)


@jax.jit
def recurrent(params, xs):
    return jax.grad(lambda p: jnp.sum(forward(p, xs)))(params)


@jax.jit
def independent_rows(params, xs):
    out = []
    for t in range(xs.shape[0]):  # hint: DP162
        out.append(jnp.tanh(xs[t] @ params))
    return jnp.stack(out)
