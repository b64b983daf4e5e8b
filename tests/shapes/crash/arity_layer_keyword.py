# torch 1.13: TypeError: MaxPool2d.forward() takes 2 positional arguments but 3 were given
import torch
from torch import nn

pool = nn.MaxPool2d(2)
x = torch.rand(1, 3, 8, 8)
y = pool(x, 2)  # expect: DP610  # fixed: y = pool(x)
