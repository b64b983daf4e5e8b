import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth=3):
        super().__init__()
        for i in range(depth):
            setattr(self, f"fc{i}", nn.Linear(4 * (i + 1), 4 * (i + 2)))
        self.depth = depth

    def forward(self, x):
        for i in range(self.depth):
            x = getattr(self, f"fc{i}")(x).relu()
        return x


assert Net()(torch.rand(2, 4)).shape == (2, 16)
