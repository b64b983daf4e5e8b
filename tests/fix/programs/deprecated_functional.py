# DP302
import torch
import torch.nn.functional as F
from torch import nn

x = torch.arange(4.0).view(1, 1, 2, 2)
print(F.upsample(x, scale_factor=2, mode="nearest"))
layer = nn.Linear(2, 1)
layer(torch.ones(3, 2)).sum().backward()
print(torch.nn.utils.clip_grad_norm(layer.parameters(), 1.0), layer.weight.grad)
