# torch 1.13: ValueError: too many values to unpack (expected 3)
import torch


def heads(x, n):
    batch, length, dim = x.shape  # expect: DP610
    return x.view(batch, length, n, dim // n)


heads(torch.randn(3, 20, 5, 8), 4)  # fixed: heads(torch.randn(3, 20, 8), 4)
