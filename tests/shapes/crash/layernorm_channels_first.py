# torch 1.13: RuntimeError: Given normalized_shape=[96], expected input with shape [*, 96], but got input of size[2, 96, 14, 14]
import torch
from torch import nn

x = torch.randn(2, 96, 14, 14)
norm = nn.LayerNorm(96)
y = norm(x)  # expect: DP601  # fixed: y = norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
