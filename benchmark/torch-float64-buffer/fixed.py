import numpy as np
import torch
from torch import nn

BATCH = 256
POINTS = 400
ROUNDS = 20


def frequencies(points):
    return np.exp(np.linspace(0, -4, points))


class Fourier(nn.Module):
    def __init__(self, points):
        super().__init__()
        self.register_buffer("frequencies", torch.from_numpy(frequencies(points)).float())

    def forward(self, positions):
        angles = positions.unsqueeze(-1) * self.frequencies
        return torch.cat([angles.sin(), angles.cos()], dim=-1)


torch.manual_seed(0)
encode = Fourier(POINTS)
positions = torch.rand(ROUNDS, BATCH, 3)
total = 0.0
with torch.no_grad():
    for batch in positions:
        total += encode(batch).pow(2).sum(-1).sqrt().mean().item()

result = total
