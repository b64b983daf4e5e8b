# torch 1.13: RuntimeError: Calculated padded input size per channel: (1 x 1). Kernel size: (5 x 5). Kernel size can't be greater than actual input size
import torch
from torch import nn

encoder = nn.Sequential(nn.Conv2d(1, 4, 5, 2), nn.ReLU(), nn.Conv2d(4, 8, 5, 2), nn.ReLU())
x = torch.randn(1, 1, 14, 14)
h = encoder(x)
h = nn.Conv2d(8, 16, 5)(h)  # expect: DP612  # fixed: h = nn.Conv2d(8, 16, 1)(h)
