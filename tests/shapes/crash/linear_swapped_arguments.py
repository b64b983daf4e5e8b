# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x13 and 1x13)
import torch
from torch import nn

x = torch.randn(64, 13)
model = nn.Linear(1, 13)  # fixed: model = nn.Linear(13, 1)
y = model(x)  # expect: DP601
