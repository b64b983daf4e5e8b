# DP812
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size):
        """A small one."""
        self.size = size
        self.layer = nn.Linear(size, 1)

    def forward(self, x):
        return self.layer(x)


try:
    torch.manual_seed(0)
    print(Net(3)(torch.ones(1, 3)))
except AttributeError as error:
    print("fails", error)
