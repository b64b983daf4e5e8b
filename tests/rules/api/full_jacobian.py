import jax
import jax.numpy as jnp
import tensorflow as tf
import torch
from torch.autograd.functional import jacobian


def summed(encoder, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        code = encoder(x)
    return tf.reduce_sum(tape.jacobian(code, x), axis=2)  # expect: DP188


def named(encoder, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        code = encoder(x)
    full = tape.jacobian(code, x)  # expect: DP188
    return tf.einsum("bibj->bij", full)


class Penalty:
    def parts(self, encoder, x, rows):
        with tf.GradientTape() as tape:
            tape.watch(x)
            code = encoder(x)
        full = tape.jacobian(code, x)  # expect: DP188
        return [full[i, :, i] for i in range(rows)]


def in_torch(f, x):
    whole = jacobian(f, x)  # expect: DP188
    own = torch.diagonal(whole, dim1=0, dim2=2)
    return own, jacobian(f, x).sum(dim=2)  # hint: DP188


def in_jax(f, x):
    whole = jax.jacrev(f)(x)  # expect: DP188
    rows = jnp.arange(x.shape[0])
    return whole[rows, :, rows]


def silent(encoder, f, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        code = encoder(x)
        total = tf.reduce_sum(code)
    batched = tape.batch_jacobian(code, x)
    whole = tape.jacobian(code, x)
    other = tape.jacobian(total, x)
    first = jax.jacobian(f)(x)
    return (
        tf.reduce_sum(batched, axis=2),
        tf.reduce_sum(whole, axis=0),
        tf.reduce_sum(tf.square(whole)),
        tf.einsum("bicj->ij", whole),
        tf.reduce_sum(other, axis=1),
        first[0, :, 1],
        jax.vmap(jax.jacrev(f))(x).sum(axis=2),
        jacobian(lambda rows: f(rows).sum(0), x).sum(dim=0),
    )
