import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf


@jax.jit
def score(params, tokens):
    return jnp.sum(params[tokens])


@tf.function
def graph_score(tokens):
    return tf.reduce_sum(tokens)


@tf.function(reduce_retracing=True)
def any_shape(tokens):
    return tf.reduce_sum(tokens)


def prefixes(params, tokens):
    out = []
    for t in range(1, 500):
        out.append(score(params, tokens[:t]))  # expect: DP224
        out.append(graph_score(tokens[t:]))  # expect: DP224
    return out


def growing(params, tokens):
    for _ in range(200):
        value = score(params, tokens)  # expect: DP224
        tokens = jnp.concatenate([tokens, value[None]])
    return tokens


def longest(params, batches):
    out = []
    for batch in batches:
        width = max(len(text) for text in batch)
        rows = np.zeros((len(batch), width), np.int32)
        for i, text in enumerate(batch):
            rows[i, :len(text)] = text
        out.append(score(params, rows))  # expect: DP224
    return out


def silent(params, tokens, batches):
    for i in range(100):
        score(params, tokens[i:i + 8])
        score(params, tokens[i])
        score(params, tokens[:8])
        any_shape(tokens[:i])
    for batch in batches:
        rows = np.zeros((len(batch), 128), np.int32)
        score(params, rows)
    for t in range(3):
        score(params, tokens[:t])
    rest = jnp.concatenate([tokens, tokens])
    for _ in range(100):
        score(params, rest)


def sentences(params, texts):
    out = []
    for text in texts:
        ids = jnp.array([hash(word) % 1000 for word in text.split()])
        out.append(score(params, ids))  # expect: DP224
    return out
