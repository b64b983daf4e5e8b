# torch 1.13: RuntimeError: The size of tensor a (14) must match the size of tensor b (32) at non-singleton dimension 3
import torch
import torch.nn as nn


class SELayer(nn.Module):
    def __init__(self, channel, reduction=16):
        super(SELayer, self).__init__()
        self.avg_pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(
            nn.Linear(channel, channel // reduction, bias=False),
            nn.ReLU(inplace=True),
            nn.Linear(channel // reduction, channel, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, x):
        b, c, _, _ = x.size()
        y = self.avg_pool(x).view(b, c)
        y = self.fc(y)  # fixed: y = self.fc(y).view(b, c, 1, 1)
        return x * y  # expect: DP602


se = SELayer(32, 4)
out = se(torch.randn(2, 32, 14, 14))
