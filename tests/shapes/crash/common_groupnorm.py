# torch 1.13: ValueError: num_channels must be divisible by num_groups
import torch
from torch import nn
block = nn.Sequential(nn.Conv2d(3, 20, 3), nn.GroupNorm(8, 20), nn.SiLU())  # expect: DP611  # fixed: block = nn.Sequential(nn.Conv2d(3, 24, 3), nn.GroupNorm(8, 24), nn.SiLU())
print(block(torch.randn(1, 3, 16, 16)).shape)
