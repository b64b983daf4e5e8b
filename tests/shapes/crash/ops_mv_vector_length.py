# torch 1.13: RuntimeError: size mismatch, got 12, 12x12,10
import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.adj = nn.Parameter(torch.eye(n))

    def forward(self, signal):
        return torch.mv(self.adj, signal)  # expect: DP602


Graph(12)(torch.rand(10))  # fixed: Graph(12)(torch.rand(12))
