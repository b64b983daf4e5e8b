# torch 1.13: RuntimeError: The size of tensor a (16) must match the size of tensor b (32) at non-singleton dimension 3
import torch
import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(cin, cout, 3, stride, 1), nn.BatchNorm2d(cout), nn.ReLU(),
            nn.Conv2d(cout, cout, 3, 1, 1), nn.BatchNorm2d(cout))
        self.skip = nn.Identity()  # fixed: self.skip = nn.Conv2d(cin, cout, 1, stride)

    def forward(self, x):
        return torch.relu(self.body(x) + self.skip(x))  # expect: DP602


class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([Residual(a, b, 2) for a, b in [(8, 16), (16, 32)]])
        self.stem = nn.Conv2d(3, 8, 7, 2, 3)

    def forward(self, x):
        x = self.stem(x)
        for s in self.stages:
            x = s(x)
        return x


m = Stage()
y = m(torch.zeros(1, 3, 64, 64))
