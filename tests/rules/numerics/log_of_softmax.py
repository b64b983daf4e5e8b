import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch
import torch.nn as nn
import torch.nn.functional as F


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 1), nn.Sigmoid())

    def forward(self, x):
        return self.layers(x).view(-1)


def fires(x, real):
    a = torch.log(F.softmax(x, dim=1))  # expect: DP701
    b = torch.softmax(x, -1).log()  # expect: DP701
    c = tf.math.log(tf.nn.softmax(x))  # expect: DP701
    d = jnp.log(jax.nn.softmax(x, axis=-1))  # expect: DP701
    p = F.softmax(x, dim=1)
    entropy = -(p * torch.log(p)).sum(1)  # expect: DP701
    e = torch.log(torch.sigmoid(x))  # expect: DP701
    net = Discriminator()
    f = -torch.log(net(real)).mean()  # expect: DP701
    return a, b, c, d, e, f, entropy


def silent(x, p, flag):
    a = torch.log(F.softmax(x, dim=1) + 1e-8)
    b = F.log_softmax(x, dim=1)
    c = torch.log(p)
    d = torch.log(x)
    q = F.softmax(x, dim=1)
    q = q.clamp(min=1e-6)
    e = torch.log(q)
    r = x
    if flag:
        r = torch.softmax(x, 1)
    f = torch.log(r)
    g = np.log(p)
    h = tf.math.log(tf.clip_by_value(tf.nn.softmax(x), 1e-6, 1.0))
    i = torch.log(torch.sigmoid(x).clamp_min(1e-6))
    return a, b, c, d, e, f, g, h, i


def table():
    return torch.log(torch.sigmoid(torch.arange(-6.01, 6.01, 0.01)))
