# torch 1.13: ValueError: expected 2D or 3D input (got 4D input)
import torch
import torch.nn as nn

net = nn.Sequential(
    nn.Conv2d(1, 8, 3),
    nn.BatchNorm1d(8),  # or here  # fixed: nn.BatchNorm2d(8),
    nn.ReLU(),
)
y = net(torch.randn(4, 1, 10, 10))  # expect: DP604
