# torch 1.13: RuntimeError: only one dimension can be inferred
import torch

x = torch.randn(6, 4)
y = x.view(-1, -1, 2)  # expect: DP603  # fixed: y = x.view(-1, 2, 2)
