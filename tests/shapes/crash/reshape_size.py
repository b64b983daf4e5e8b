# torch 1.13: RuntimeError: shape '[5, 5]' is invalid for input of size 24
import torch

x = torch.arange(24)
y = x.reshape(5, 5)  # expect: DP603  # fixed: y = x.reshape(4, 6)
