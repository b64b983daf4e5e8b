# Functions and methods make the layers.
from torch import nn


def block(size):
    return nn.Sequential(nn.Linear(size, size), nn.ReLU())


class Mixture(nn.Module):
    def __init__(self, size, count):
        super().__init__()
        self.branches = [self.make(size) for _ in range(count)]  # expect: DP237
        self.blocks = [block(size) for _ in range(count)]  # expect: DP237
        self.right = nn.ModuleList([self.make(size) for _ in range(count)])
        self.shared = nn.Linear(size, size)
        self.same = [self.get(index) for index in range(count)]

    def make(self, size) -> nn.Module:
        raise NotImplementedError

    def get(self, index):
        return self.shared

    def forward(self, x):
        for branch in self.branches + self.blocks + self.same:
            x = branch(x)
        for layer in self.right:
            x = layer(x)
        return x


class Linears(Mixture):
    def make(self, size) -> nn.Module:
        return nn.Linear(size, size)
