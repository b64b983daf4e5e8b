# torch 1.13: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 17 but got size 16 for tensor number 1 in the list.
import torch
from torch import nn
up = nn.ConvTranspose2d(64, 32, 3, stride=2)  # fixed: up = nn.ConvTranspose2d(64, 32, 2, stride=2)
skip = torch.randn(1, 32, 16, 16)
x = up(torch.randn(1, 64, 8, 8))
print(torch.cat([x, skip], dim=1).shape)  # expect: DP602
