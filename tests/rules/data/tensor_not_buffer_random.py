import math

import torch
from torch import nn


class Fourier(nn.Module):
    def __init__(self, d, n, scale):
        super().__init__()
        self.freqs = torch.randn(d, n) * scale  # expect: DP404
        self.shift = 2 * math.pi * torch.rand(n)  # expect: DP404
        self.fc = nn.Linear(2 * n, 3)

    def forward(self, x):
        p = x @ self.freqs.to(x.device) + self.shift
        return self.fc(torch.cat([p.sin(), p.cos()], -1))


class Registered(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.register_buffer("freqs", torch.randn(d, n))
        self.scale = nn.Parameter(torch.randn(n))

    def forward(self, x):
        return x @ self.freqs * self.scale


class Drawn(nn.Module):
    def forward(self, x):
        noise = torch.randn(4)
        return x + noise.to(x.device)  # expect: DP401
