# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import torch
from torch import nn

model = nn.Linear(4, 2).double()
x = torch.randn(3, 4)
model(x)  # expect: DP607  # fixed: model(x.double())
