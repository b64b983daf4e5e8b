import torch
from torch import nn

for c in (8, 16, 32):
    nn.Conv2d(c, c * 2, 3, groups=c)(torch.rand(1, c, 5, 5))
    nn.GroupNorm(4, c)(torch.rand(1, c, 5, 5))
    nn.MultiheadAttention(c, c // 4)(*[torch.rand(3, 1, c)] * 3)


def norm(channels, groups=32):
    while channels % groups:
        groups -= 1
    return nn.GroupNorm(groups, channels)


norm(48)(torch.rand(2, 48, 4))
