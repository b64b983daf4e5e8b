# torch 1.13: RuntimeError: running_mean should contain 32 elements not 3
import torch
import torch.nn as nn


class ConvBlock(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.conv = nn.Conv2d(in_ch, out_ch, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(in_ch)  # fixed: self.bn = nn.BatchNorm2d(out_ch)
        self.act = nn.LeakyReLU(0.1)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))  # expect: DP601


block = ConvBlock(3, 32)
print(block(torch.zeros(2, 3, 16, 16)).shape)
