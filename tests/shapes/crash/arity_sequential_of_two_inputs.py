# torch 1.13: TypeError: Sequential.forward() takes 2 positional arguments but 3 were given
import torch
from torch import nn


class Merge(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim * 2, dim)

    def forward(self, a, b):
        return self.fc(torch.cat((a, b), -1))


model = nn.Sequential(Merge(6), nn.ReLU())
a, b = torch.rand(2, 6), torch.rand(2, 6)
out = model(a, b)  # expect: DP610  # fixed: out = model[1](model[0](a, b))
