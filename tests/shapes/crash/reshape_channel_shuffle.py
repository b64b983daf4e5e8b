# torch 1.13: RuntimeError: shape '[2, 3, 6, 8, 8]' is invalid for input of size 2560
import torch
from torch import nn


def channel_shuffle(x, groups):
    b, c, h, w = x.size()
    x = x.view(b, groups, c // groups, h, w)  # expect: DP603
    x = x.transpose(1, 2).contiguous()
    return x.view(b, -1, h, w)


conv = nn.Conv2d(3, 20, 1)
out = channel_shuffle(conv(torch.rand(2, 3, 8, 8)), 3)  # fixed: out = channel_shuffle(conv(torch.rand(2, 3, 8, 8)), 4)
