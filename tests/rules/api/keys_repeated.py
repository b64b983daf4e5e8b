"""Grouped queries."""
import torch
import torch.nn.functional as F
from torch import nn


class Grouped(nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, q, k, v):
        k = torch.repeat_interleave(k, self.groups, dim=1)
        v = torch.repeat_interleave(v, self.groups, dim=1)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)  # expect: DP182


def repeat_kv(x, groups):
    batch, heads, length, size = x.shape
    if groups == 1:
        return x
    x = x[:, :, None].expand(batch, heads, groups, length, size)
    return x.reshape(batch, heads * groups, length, size)


def through_helper(q, k, v, groups):
    return F.scaled_dot_product_attention(q, repeat_kv(k, groups), repeat_kv(v, groups))  # expect: DP182


def in_pairs(q, k, v, groups):
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    return F.scaled_dot_product_attention(q, k, v)  # expect: DP182


def only_keys(q, k, v, groups):
    k = k.repeat_interleave(groups, 1)
    return F.scaled_dot_product_attention(q, k, v)


def right(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)


def with_mask(q, k, v, groups, mask):
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # hint: DP182


def without_mask(q, k, v, groups):
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=None, is_causal=True)  # expect: DP182
