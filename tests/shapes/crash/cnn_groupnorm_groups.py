# torch 1.13: ValueError: num_channels must be divisible by num_groups
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.norm = nn.GroupNorm(32, ch)  # expect: DP611  # fixed: self.norm = nn.GroupNorm(16, ch)
        self.conv = nn.Conv2d(ch, ch, 3, 1, 1)

    def forward(self, x):
        return x + self.conv(self.norm(x))


x = torch.randn(1, 48, 8, 8)
y = Block(48)(x)
