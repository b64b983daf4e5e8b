# torch 1.13: RuntimeError: Found dtype Long but expected Float
import torch
import torch.nn.functional as F

p = torch.rand(6)
y = torch.tensor([0, 1, 1, 0, 1, 0])
loss = F.binary_cross_entropy(p, y)  # expect: DP607  # fixed: loss = F.binary_cross_entropy(p, y.float())
