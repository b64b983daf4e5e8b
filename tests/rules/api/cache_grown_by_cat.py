"""A key and value cache that grows with every token."""
import torch
import torch.nn.functional as F
from torch import nn


class Kept(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.qkv = nn.Linear(size, 3 * size)
        self.past_k = None
        self.past_v = None

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if self.past_k is not None:
            k = torch.cat((self.past_k, k), dim=1)  # expect: DP180
            v = torch.cat((self.past_v, v), dim=1)
        self.past_k, self.past_v = k, v
        return F.scaled_dot_product_attention(q, k, v)


class Chosen(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.cache_k = self.cache_v = None

    def decode(self, x):
        k, v = self.k(x), self.v(x)
        self.cache_k = k if self.cache_k is None else torch.cat([self.cache_k, k], 1)  # expect: DP180
        self.cache_v = v if self.cache_v is None else torch.cat([self.cache_v, v], 1)
        return F.scaled_dot_product_attention(self.q(x), self.cache_k, self.cache_v)


class Passed(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, layer_past=None, use_cache=True):
        q, k, v = self.q(x), self.k(x), self.v(x)
        if layer_past is not None:
            past_key, past_value = layer_past
            k = torch.cat([past_key, k], dim=-2)  # expect: DP180
            v = torch.cat([past_value, v], dim=-2)
        present = (k, v) if use_cache else None
        return F.scaled_dot_product_attention(q, k, v), present


class Cache:
    def __init__(self):
        self.keys = torch.empty(1, 0, 64)
        self.values = torch.empty(1, 0, 64)

    def update(self, keys, values):
        self.keys = torch.cat([self.keys, keys], dim=1)  # expect: DP180
        self.values = torch.cat([self.values, values], dim=1)
        return self.keys, self.values


class Allocated(nn.Module):
    def __init__(self, size, longest):
        super().__init__()
        self.qkv = nn.Linear(size, 3 * size)
        self.register_buffer("keys", torch.zeros(1, longest, size))
        self.register_buffer("values", torch.zeros(1, longest, size))
        self.used = 0

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        self.keys[:, self.used] = k[:, 0]
        self.values[:, self.used] = v[:, 0]
        self.used += 1
        return F.scaled_dot_product_attention(q, self.keys[:, :self.used], self.values[:, :self.used])


class Streamed(nn.Module):
    """Sound that is waiting to be denoised."""

    def __init__(self):
        super().__init__()
        self.net = nn.Conv1d(1, 1, 9)
        self.pending = torch.zeros(1, 0)
        self.raw = torch.zeros(1, 0)

    def feed(self, wav):
        self.pending = torch.cat([self.pending, wav], dim=1)
        self.raw = torch.cat([self.raw, wav], dim=1)
        return self.net(self.pending)


class TwoInputs(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.k, self.v, self.q = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.bias_k = nn.Parameter(torch.zeros(1, 1, d))
        self.bias_v = nn.Parameter(torch.zeros(1, 1, d))

    def forward(self, x, text):
        k, v = self.k(x), self.v(x)
        k = torch.cat([k, self.k(text)], dim=1)
        v = torch.cat([v, self.v(text)], dim=1)
        k = torch.cat([k, self.bias_k], dim=1)
        v = torch.cat([v, self.bias_v], dim=1)
        return F.scaled_dot_product_attention(self.q(x), k, v)
