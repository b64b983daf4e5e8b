# torch 1.13: ValueError: not enough values to unpack (expected 4, got 3)
import torch
def pool(x):
    b, c, h, w = x.shape  # expect: DP610
    return x.reshape(b, c, h * w).mean(-1)
print(pool(torch.randn(8, 3, 32)))  # fixed: print(pool(torch.randn(8, 3, 32, 32)))
