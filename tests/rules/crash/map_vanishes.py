import torch
from torch import nn

x = torch.randn(1, 3, 4, 4)
nn.Conv2d(3, 8, 7)(x)  # expect: DP612
nn.Conv2d(3, 8, 7, padding=3)(x)
nn.MaxPool2d(8)(x)  # expect: DP612
nn.MaxPool2d(4)(x)
