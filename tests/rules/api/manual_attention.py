import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import einsum


class Causal(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("bias", torch.tril(torch.ones(64, 64)))

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = self.qkv(x).split(c, dim=2)
        k = k.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        q = q.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        v = v.view(b, t, self.heads, c // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:t, :t] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.dropout(att)
        y = att @ v  # hint: DP151
        return y.transpose(1, 2).contiguous().view(b, t, c)


class Cross(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = nn.Softmax(dim=-1)

    def forward(self, q, k, v, mask=None):
        sim = einsum("b h i d, b h j d -> b h i j", q, k) * 0.125
        if mask is not None:
            sim = sim.masked_fill(~mask, -torch.finfo(sim.dtype).max)
        attn = self.attend(sim)
        return einsum("b h i j, b h j d -> b h i d", attn, v)  # hint: DP151


def attend(query, key, value, mask=None, dropout=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores + mask
    weights = scores.softmax(dim=-1)
    weights = F.dropout(weights, 0.1)
    return torch.matmul(weights, value)  # hint: DP151


def pixels(q, k, v, b, c, h, w):
    q = q.reshape(b, c, h * w).permute(0, 2, 1)
    k = k.reshape(b, c, h * w)
    w_ = torch.bmm(q, k)
    w_ = w_ * (int(c) ** (-0.5))
    w_ = F.softmax(w_, dim=2)
    v = v.reshape(b, c, h * w)
    w_ = w_.permute(0, 2, 1)
    return torch.bmm(v, w_)  # hint: DP151


def in_one_line(q, k, v):
    return torch.softmax(q @ k.mT / 8.0, dim=-1) @ v  # hint: DP151


def with_weights(query, key, value):
    scores = torch.matmul(query, key.transpose(-2, -1))
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


class Keeps(nn.Module):
    def forward(self, query, key, value):
        weights = F.softmax(query @ key.transpose(-2, -1), dim=-1)
        self.weights = weights
        return weights @ value


def fused(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def mixture(x, experts, gate):
    weights = F.softmax(x @ gate, dim=-1)  # no transposed keys: a gate
    return weights @ experts


def over_queries(q, k, v):
    weights = F.softmax(q @ k.transpose(-2, -1), dim=0)  # expect: DP267
    return weights @ v


def repelled(q, k, v):
    energy = torch.bmm(q, k.transpose(1, 2))
    weights = F.softmax(torch.max(energy, -1, keepdim=True)[0] - energy, dim=-1)
    return torch.bmm(weights, v)


def either(q, k, v, fused):
    if fused:
        return F.scaled_dot_product_attention(q, k, v)
    weights = F.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ v


def products_only(q, k, v):
    return (q @ k.transpose(-2, -1)) @ v
