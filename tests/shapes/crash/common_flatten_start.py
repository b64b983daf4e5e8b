# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x7200 and 1800x10)
import torch
from torch import nn
net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(0), nn.Linear(8 * 15 * 15, 10))  # fixed: net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(1), nn.Linear(8 * 15 * 15, 10))
print(net(torch.randn(4, 3, 32, 32)).shape)  # expect: DP601
