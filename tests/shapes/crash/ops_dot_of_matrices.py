# torch 1.13: RuntimeError: 1D tensors expected, but got 2D and 2D tensors
import torch

u = torch.randn(3, 3)
v = torch.randn(3, 3)
s = torch.dot(u, v)  # expect: DP604  # fixed: s = torch.dot(u.flatten(), v.flatten())
