# torch 1.13: RuntimeError: The size of tensor a (4) must match the size of tensor b (16) at non-singleton dimension 2
import torch
from torch import nn


class MoE(nn.Module):
    def __init__(self, dim=16, experts=4):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(dim, dim) for _ in range(experts)])
        self.gate = nn.Linear(dim, experts)

    def forward(self, x):
        weights = torch.softmax(self.gate(x), dim=-1)
        outputs = torch.stack([expert(x) for expert in self.experts], dim=1)
        return (weights * outputs).sum(dim=1)  # expect: DP602  # fixed: return (weights.unsqueeze(-1) * outputs).sum(dim=1)


MoE()(torch.randn(8, 16))
