# Nobody in sight says whether this runs under `torch.no_grad()`.
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(size))

    def reset_parameters(self):
        self.gate.uniform_(-0.1, 0.1)

    def forward(self, x):
        return x * self.gate


class Net(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.gated = Gated(size)

    def init_weights(self):
        self.gated.reset_parameters()

    def forward(self, x):
        return self.gated(x)
