# torch 1.13: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 64 but got size 65 for tensor number 1 in the list.
import torch
import torch.nn as nn


def double_conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU(inplace=True),
                         nn.Conv2d(o, o, 3, padding=1), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = double_conv(1, 8)
        self.down2 = double_conv(8, 16)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.conv = double_conv(16, 8)
        self.last = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        c1 = self.down1(x)
        c2 = self.down2(self.pool(c1))
        u = self.up(c2)
        merged = torch.cat([u, c1], dim=1)  # expect: DP602
        return self.last(self.conv(merged))


model = UNet()
mask = model(torch.randn(1, 1, 65, 65))  # fixed: mask = model(torch.randn(1, 1, 64, 64))
