import math
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import tensorflow as tf

WARMUP = 1000


@tf.function
def step(x, beta):
    return tf.reduce_sum(x) * beta


def annealed(dataset):
    for i, x in enumerate(dataset):
        beta = min(1.0, i / WARMUP)
        step(x, beta)  # expect: DP207


def per_epoch(dataset, epochs):
    for epoch in range(epochs):
        temperature = max(1.0, 5.0 * 0.95**epoch)
        for x in dataset:
            step(x, temperature)  # expect: DP207


def branched(dataset):
    total = len(dataset)
    for i, x in enumerate(dataset):
        if i < WARMUP:
            weight = i / WARMUP
        else:
            weight = 0.5 * (1 + math.cos(math.pi * i / total))
        step(x, weight)  # expect: DP207


def converted(dataset):
    for i, x in enumerate(dataset):
        beta = tf.constant(min(1.0, i / WARMUP))
        step(x, beta)


def constant(dataset):
    beta = min(1.0, WARMUP / 7)
    for x in dataset:
        step(x, beta)


def unknown(dataset, schedule):
    for i, x in enumerate(dataset):
        step(x, schedule(i))


@tf.function
def embed(tokens):
    return tf.reduce_sum(tf.one_hot(tokens, 100))


def lists(sentences, vocabulary):
    for sentence in sentences:
        ids = [vocabulary[word] for word in sentence.split()]
        embed(ids)  # expect: DP207
        embed(tf.constant(ids))
    fixed = [int(word) for word in vocabulary]
    for sentence in sentences:
        embed(fixed)


class Hyper(NamedTuple):
    step: int
    rate: float = 0.1


@dataclass(frozen=True)
class Setting:
    scale: float = 1.0


@partial(jax.jit, static_argnames=("hyper",))
def update(params, hyper):
    return params - hyper.rate / (1 + hyper.step)


@partial(jax.jit, static_argnums=1)
def scaled(x, setting):
    return x * setting.scale


@eqx.filter_jit
def filtered(x, scale):
    return x * scale


def train(params, xs):
    for i in range(10000):
        params = update(params, Hyper(step=i))  # expect: DP207
    for i, x in enumerate(xs):
        setting = Setting(scale=1.0 / (i + 1))
        scaled(x, setting)  # expect: DP207
    for i, x in enumerate(xs):
        filtered(x, 0.99**i)  # expect: DP207
    base = Hyper(step=0)
    for i in range(10000):
        params = update(params, base)
    for i, x in enumerate(xs):
        filtered(x, jnp.asarray(0.99**i))
    return params
