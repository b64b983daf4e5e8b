from functools import partial

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


@partial(jax.jit, static_argnums=1)
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
    for t in range(xs.shape[1]):  # expect: DP221
        h = cell(params, h, xs[:, t])
        hs.append(h)
    return jnp.stack(hs, axis=1)


@jax.jit
def recurrent(params, xs):
    return jax.grad(lambda p: jnp.sum(forward(p, xs)))(params)


@jax.jit
def independent_rows(params, xs):
    out = []
    for t in range(xs.shape[0]):
        out.append(jnp.tanh(xs[t] @ params))
    return jnp.stack(out)


class Decoder:
    @tf.function
    def decode(self, x, state):
        outputs = []
        for t in range(500):  # expect: DP221
            x, state = self.cell(x, state)
            outputs.append(x)
        return tf.stack(outputs)

    @tf.function
    def repeat(self, x, names):
        for t in range(500):
            self.note(t)
        return x


@tf.function
def advantages(rewards, values, last):
    found = []
    running = tf.zeros_like(last)
    for t in reversed(range(2048)):  # expect: DP221
        running = rewards[t] + 0.9 * running - values[t]
        found.append(running)
    return tf.stack(found)


def cell(p, h, x):
    return jnp.tanh(x @ p + h)


def forward(p, xs):
    h = jnp.zeros(xs.shape[0])
    for t in range(xs.shape[1]):  # expect: DP221
        h = cell(p, h, xs[:, t])
    return h


def collected(p, xs, h):
    outs = []
    for x in xs:  # expect: DP221
        h = jnp.tanh(p @ x + h)
        outs.append(h)
    return jnp.stack(outs)


def layers(params, x):
    for w, b in params:
        x = jnp.tanh(x @ w + b)
    return x


@jax.jit
def loss(p, xs, ys):
    return jnp.mean((forward(p, xs) - ys) ** 2) + jnp.mean(collected(p, xs, ys))


@jax.jit
def layered(params, x):
    return layers(params, x)


def unrolled(p, frames):
    state = jnp.zeros((frames.shape[1], 8))
    kept = []
    for t in range(frames.shape[0]):  # expect: DP221
        state = cell(p, state, frames[t])
        kept.append(state)
    return jnp.stack(kept)


def scanned(p, frames):
    def advance(state, frame):
        state = cell(p, state, frame)
        return state, state

    return jax.lax.scan(advance, jnp.zeros((frames.shape[1], 8)), frames)[1]


def by_layer(weights, x):
    for i in range(weights.shape[0]):  # hint: DP221
        x = jnp.tanh(x @ jnp.transpose(weights[i], x.ndim))
    return x


@jax.jit
def sequence_loss(p, frames):
    return jnp.mean(unrolled(p, frames)) + jnp.mean(scanned(p, frames)) + jnp.mean(by_layer(frames, p))
