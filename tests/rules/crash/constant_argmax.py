import torch
from torch import nn

x = torch.randn(8, 4)
nn.Linear(4, 1)(x).argmax(dim=1)  # expect: DP614  # hint: DP232
nn.Linear(4, 3)(x).argmax(dim=1)
nn.Linear(4, 1)(x).argmax(dim=0)
