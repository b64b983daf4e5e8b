# torch 1.13: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 60 but got size 52 for tensor number 1 in the list.
import torch
import torch.nn as nn


class DoubleConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.seq = nn.Sequential(nn.Conv2d(cin, cout, 3), nn.ReLU(), nn.Conv2d(cout, cout, 3), nn.ReLU())  # fixed: self.seq = nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU(), nn.Conv2d(cout, cout, 3, padding=1), nn.ReLU())

    def forward(self, x):
        return self.seq(x)


class Up(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.conv = DoubleConv(cin, cout)

    def forward(self, x, skip):
        x = self.up(x)
        return self.conv(torch.cat((skip, x), 1))  # expect: DP602


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inc = DoubleConv(3, 16)
        self.down = nn.Sequential(nn.MaxPool2d(2), DoubleConv(16, 32))
        self.up = Up(48, 16)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down(x1)
        return self.up(x2, x1)


UNet()(torch.randn(1, 3, 64, 64))
