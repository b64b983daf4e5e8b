import torch
from torch import nn


class Gated(nn.Module):
    def forward(self, x):
        return self.project(x) * torch.sigmoid(self.gate(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 4)
        self.gate = nn.Linear(4, 4)


Block.forward = Gated.forward
assert Block()(torch.rand(2, 4)).shape == (2, 4)
