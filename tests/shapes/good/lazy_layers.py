import torch
from torch import nn

net = nn.Sequential(nn.LazyConv2d(8, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
net(torch.randn(2, 3, 9, 9))
