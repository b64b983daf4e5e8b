# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x20 and 30x20)
import torch

W = torch.randn(30, 20)
x = torch.randn(8, 20)
h = torch.mm(x, W)  # expect: DP602  # fixed: h = torch.mm(x, W.t())
