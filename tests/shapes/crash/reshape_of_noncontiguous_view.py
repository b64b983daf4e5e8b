# torch 1.13: RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.
import torch

x = torch.randn(2, 3, 4)
y = x.transpose(1, 2).view(2, 12)  # expect: DP603  # fixed: y = x.transpose(1, 2).reshape(2, 12)
