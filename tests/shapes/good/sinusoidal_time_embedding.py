import math

import torch
from torch import nn


class Time(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.mlp = nn.Sequential(nn.Linear(dim, dim * 4), nn.SiLU(), nn.Linear(dim * 4, dim))

    def forward(self, t):
        half = self.dim // 2
        freq = torch.exp(-math.log(10000) * torch.arange(half, device=t.device) / (half - 1))
        arg = t[:, None] * freq[None, :]
        emb = torch.cat([arg.sin(), arg.cos()], dim=-1)
        if self.dim % 2:
            emb = nn.functional.pad(emb, (0, 1))
        return self.mlp(emb)


Time(32)(torch.arange(5))
Time(33)(torch.arange(5))
