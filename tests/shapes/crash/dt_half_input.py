# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))
x = torch.randn(4, 16, dtype=torch.float64)  # fixed: x = torch.randn(4, 16)
w = torch.eye(4)
out = model(x) @ w  # expect: DP607
