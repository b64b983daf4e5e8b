import jax
import jax.numpy as jnp
import optax
import tensorflow as tf

PAD = 0
cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


def in_place(labels, logits):
    mask = tf.math.logical_not(tf.math.equal(labels, PAD))
    loss = cross_entropy(labels, logits)
    loss *= tf.cast(mask, loss.dtype)
    return tf.reduce_mean(loss)  # expect: DP977


def masked(values, labels):
    return values * (labels != PAD)


def through_function(logits, labels):
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return jnp.mean(masked(losses, labels))  # expect: DP977


def divided(logits, labels):
    mask = labels != PAD
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return jnp.sum(losses * mask) / jnp.sum(mask)


def weighted(logits, labels, weights):
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return jnp.mean(losses * weights)


def accuracy(labels, logits):
    return tf.reduce_mean(tf.cast(tf.equal(labels, tf.argmax(logits, -1)), tf.float32))
