"""Causal masks for attention that is fused."""
import torch
import torch.nn.functional as F
from torch import nn


class Buffer(nn.Module):
    def __init__(self, dim, longest=1024):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.register_buffer("mask", torch.tril(torch.ones(longest, longest, dtype=torch.bool)))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        n = x.size(1)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask[:n, :n])  # expect: DP181


def causal(n, device):
    return torch.triu(torch.full((n, n), float("-inf"), device=device), diagonal=1)


def from_helper(q, k, v):
    mask = causal(q.size(-2), q.device).unsqueeze(0)
    return F.scaled_dot_product_attention(q, k, v, mask)  # expect: DP181


def from_transformer(q, k, v):
    mask = nn.Transformer.generate_square_subsequent_mask(q.size(-2)).to(q.device)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # expect: DP181


class WithCache(nn.Module):
    def __init__(self, longest):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(longest, longest, dtype=torch.bool)))

    def forward(self, q, k, v, start):
        rows = self.mask[start:start + q.size(-2), :k.size(-2)]
        part = self.mask[:q.size(-2), :k.size(-2)]
        return (F.scaled_dot_product_attention(q, k, v, attn_mask=rows)
                + F.scaled_dot_product_attention(q, k, v, attn_mask=part))


def with_padding(q, k, v, padding):
    mask = torch.tril(torch.ones(q.size(-2), k.size(-2), dtype=torch.bool)) & padding
    window = torch.triu(torch.ones(q.size(-2), k.size(-2), dtype=torch.bool), diagonal=-128)
    return (F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            + F.scaled_dot_product_attention(q, k, v, attn_mask=padding)
            + F.scaled_dot_product_attention(q, k, v, attn_mask=window))


def right(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)
