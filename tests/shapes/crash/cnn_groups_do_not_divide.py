# torch 1.13: ValueError: in_channels must be divisible by groups
import torch
import torch.nn as nn


class DepthwiseSeparable(nn.Module):
    def __init__(self, nin, nout, kernels_per_layer=1):
        super().__init__()
        self.depthwise = nn.Conv2d(nin, nin * kernels_per_layer, 3, padding=1, groups=nin)
        self.pointwise = nn.Conv2d(nin * kernels_per_layer, nout, 1, groups=5)  # expect: DP611  # fixed: self.pointwise = nn.Conv2d(nin * kernels_per_layer, nout, 1, groups=4)

    def forward(self, x):
        return self.pointwise(self.depthwise(x))


m = DepthwiseSeparable(12, 24)
m(torch.randn(1, 12, 8, 8))
