# torch 1.13: RuntimeError: The size of tensor a (30) must match the size of tensor b (3) at non-singleton dimension 3
import torch
mean = torch.zeros(3)
img = torch.rand(10, 3, 20, 30)
print((img - mean).shape)  # expect: DP602  # fixed: print((img - mean.view(1, 3, 1, 1)).shape)
