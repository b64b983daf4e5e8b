# torch 1.13: RuntimeError: The size of tensor a (5) must match the size of tensor b (10) at non-singleton dimension 3
import torch
import torch.nn as nn


class Down(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(c, c * 2, 3, stride=2, padding=1), nn.BatchNorm2d(c * 2), nn.ReLU())
        self.skip = nn.Conv2d(c, c * 2, 1)  # fixed: self.skip = nn.Conv2d(c, c * 2, 1, stride=2)

    def forward(self, x):
        return self.main(x) + self.skip(x)  # expect: DP602


print(Down(8)(torch.ones(1, 8, 10, 10)).shape)
