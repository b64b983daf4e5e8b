# torch 1.13: RuntimeError: The size of tensor a (25) must match the size of tensor b (26) at non-singleton dimension 3
import torch
import torch.nn.functional as F
from torch import nn


class FPN(nn.Module):
    def __init__(self, channels=(16, 32)):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(c, 24, 1) for c in channels)

    def forward(self, c3, c4):
        p4 = self.lateral[1](c4)
        p3 = self.lateral[0](c3) + F.interpolate(p4, scale_factor=2)  # expect: DP602
        return p3, p4


fpn = FPN()
fpn(torch.rand(1, 16, 25, 25), torch.rand(1, 32, 13, 13))  # fixed: fpn(torch.rand(1, 16, 26, 26), torch.rand(1, 32, 13, 13))
