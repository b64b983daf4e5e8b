# torch 1.13: ValueError: too many values to unpack (expected 3)
import torch
from torch import nn

gates = nn.Linear(16, 64)(torch.randn(5, 16))
i, f, g = gates.chunk(4, 1)  # expect: DP610  # fixed: i, f, g, o = gates.chunk(4, 1)
