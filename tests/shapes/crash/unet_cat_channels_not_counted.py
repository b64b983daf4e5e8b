# torch 1.13: RuntimeError: Given groups=1, weight of size [8, 16, 3, 3], expected input[1, 24, 32, 32] to have 16 channels, but got 24 channels instead
import torch
from torch import nn


class TinyUNet(nn.Module):
    def __init__(self, base=8):
        super().__init__()
        self.enc = nn.Conv2d(3, base, 3, padding=1)
        self.mid = nn.Conv2d(base, base * 2, 3, padding=1, stride=2)
        self.up = nn.Upsample(scale_factor=2)
        self.dec = nn.Conv2d(base * 2, base, 3, padding=1)  # fixed: self.dec = nn.Conv2d(base * 3, base, 3, padding=1)

    def forward(self, x):
        e = torch.relu(self.enc(x))
        m = torch.relu(self.mid(e))
        return self.dec(torch.cat([self.up(m), e], 1))  # expect: DP601


TinyUNet()(torch.rand(1, 3, 32, 32))
