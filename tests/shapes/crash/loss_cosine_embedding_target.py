# torch 1.13: RuntimeError: The size of tensor a (5) must match the size of tensor b (6) at non-singleton dimension 0
import torch
from torch import nn

a = torch.randn(6, 32)
b = torch.randn(6, 32)
t = torch.ones(5)  # fixed: t = torch.ones(6)
loss = nn.CosineEmbeddingLoss()(a, b, t)  # expect: DP605
