import torch
import torch.nn.functional as F
from torch import nn


class Fuse(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c * 2, c, 1)

    def forward(self, low, skip):
        low = F.interpolate(low, size=skip.shape[-2:], mode="nearest")
        return self.conv(torch.cat((low, skip), 1))


Fuse(4)(torch.rand(1, 4, 7, 9), torch.rand(1, 4, 15, 19))
