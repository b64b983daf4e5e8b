# Tensors that are computed on the CPU from sizes and numbers alone, in every forward pass.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def slopes(heads):
    base = 2.0 ** (-8.0 / heads)
    return torch.tensor([base ** (i + 1) for i in range(heads)])


class Biased(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.proj = nn.Linear(dim, dim)

    def bias(self, t):
        pos = torch.arange(t)
        distance = (pos[None, :] - pos[:, None]).clamp(max=0)
        bias = slopes(self.heads)[:, None, None] * distance
        return bias.masked_fill(pos[None, :] > pos[:, None], -math.inf)

    def forward(self, x):
        mask = self.bias(x.shape[1]).to(x.device, x.dtype)  # expect: DP401
        x = self.proj(x)
        return F.scaled_dot_product_attention(x, x, x, attn_mask=mask)


class Windows(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        rows = torch.arange(x.shape[1])
        near = (rows[None, :] - rows[:, None]).abs() < 8
        near = near.to(x.device)  # expect: DP401
        return self.proj(x) * near.sum()


# ---- Silent


class OfData(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def weights(self, lengths):
        pos = torch.arange(10)
        return pos[None, :] < lengths[:, None]

    def forward(self, x, lengths, table):
        mask = self.weights(lengths).to(x.device)
        counted = torch.zeros(10)
        for i, n in enumerate(table):
            counted[i] = n
        return self.proj(x) * mask + counted.to(x.device)


class OnDevice(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        rows = torch.arange(x.shape[1], device=x.device)
        near = (rows[None, :] - rows[:, None]).abs() < 8
        return self.proj(x) * near.to(x.dtype).sum()
