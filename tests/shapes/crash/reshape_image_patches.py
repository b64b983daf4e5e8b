# torch 1.13: RuntimeError: shape '[3, 6, 16, 6, 16]' is invalid for input of size 30000
import torch

img = torch.rand(3, 100, 100)
p = 16  # fixed: p = 20
patches = img.reshape(3, 100 // p, p, 100 // p, p)  # expect: DP603
