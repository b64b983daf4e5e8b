# torch 1.13: RuntimeError: Index tensor must have the same number of dimensions as input tensor
import torch
x = torch.randn(5, 7)
idx = torch.tensor([0, 1, 2])
print(torch.gather(x, 1, idx).shape)  # expect: DP604  # fixed: print(torch.gather(x, 1, idx.expand(5, 3)).shape)
