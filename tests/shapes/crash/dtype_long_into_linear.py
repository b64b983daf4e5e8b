# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import torch
from torch import nn

features = torch.tensor([[1, 2, 3], [4, 5, 6]])  # fixed: features = torch.tensor([[1.0, 2, 3], [4, 5, 6]])
net = nn.Linear(3, 2)
print(net(features))  # expect: DP607
