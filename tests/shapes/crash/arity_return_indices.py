# torch 1.13: TypeError: conv2d() received an invalid combination of arguments - got (tuple, Parameter, Parameter, tuple, tuple, tuple, int), but expected one of:
import torch
import torch.nn as nn


class SegNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x):
        x = self.pool(self.conv(x))  # fixed: x, indices = self.pool(self.conv(x))
        return self.conv2(x)  # expect: DP610


SegNet()(torch.rand(1, 3, 16, 16))
