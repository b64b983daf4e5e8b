# torch 1.13: RuntimeError: batch2 must be a 3D tensor
import torch

a = torch.randn(10, 3, 4)
b = torch.randn(4, 5)
c = torch.bmm(a, b)  # expect: DP604  # fixed: c = torch.matmul(a, b)
