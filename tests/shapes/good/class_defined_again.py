import torch
from torch import nn


class Join(nn.Module):
    def forward(self, a, b):
        return a + b


def joined(x):  # written for the class above; nobody calls it later
    return Join()(x, x)


class Join(nn.Module):
    def forward(self, a):
        return a * 2


print(Join()(torch.ones(2)))
