# torch 1.13: RuntimeError: shape '[-1, 64]' is invalid for input of size 500
import torch

x = torch.randn(10, 50)
blocks = x.view(-1, 64)  # expect: DP603  # fixed: blocks = x.view(-1, 25)
