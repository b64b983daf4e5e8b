import math

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch
import torch.nn.functional as F


def fires(x, n):
    a = torch.log1p(x)  # hint: DP704
    b = torch.log1p(x)  # hint: DP704
    c = torch.expm1(x)  # hint: DP704
    d = torch.logsumexp(x, dim=1)  # hint: DP704
    e = torch.rsqrt(x)  # hint: DP704
    f = tf.math.log1p(x)  # hint: DP704
    g = jnp.expm1(x)  # hint: DP704
    h = F.softplus(-x)  # hint: DP704
    i = np.log1p(np.zeros(n))  # hint: DP704
    y = torch.zeros(n)
    j = torch.logsumexp(y, 1)  # hint: DP704
    k = tf.reduce_logsumexp(x, axis=1)  # hint: DP704
    m = torch.log1p(x.floor())  # hint: DP704
    o = torch.logsumexp(y, -1, keepdim=True)  # hint: DP704
    p = jnp.log(jnp.sum(jnp.exp(x), axis=1))  # hint: DP704
    return a, b, c, d, e, f, g, h, i, j, k, m, o, p


def silent(x, n, epoch):
    a = torch.log1p(x)
    b = np.log(1 + n)
    c = math.log(1 + n)
    d = 1 / math.sqrt(n)
    e = 1 / np.sqrt(n)
    f = torch.log(2 + x)
    g = torch.exp(x) - 2
    m = x.max()
    h = torch.log(torch.sum(torch.exp(x - m), dim=1)) + m
    i = 2 / torch.sqrt(x)
    j = torch.log(1 - x)
    k = math.exp(n) - 1
    o = 1 / torch.sqrt(torch.tensor(64.0))
    q = np.exp(-epoch) - 1
    r = tf.math.log(tf.reduce_sum(tf.exp((x - x.max()) / n), axis=1))
    s = 1.0 / tf.sqrt(x + 1e-6)
    return a, b, c, d, e, f, g, h, i, j, k, o, q, r, s
