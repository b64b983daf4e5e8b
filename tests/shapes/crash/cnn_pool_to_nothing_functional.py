# torch 1.13: RuntimeError: Given input size: (3x1x1). Calculated output size: (3x0x0). Output size is too small
import torch
import torch.nn.functional as F

x = torch.randn(2, 3, 20, 20)
for _ in range(5):  # fixed: for _ in range(4):
    x = F.max_pool2d(x, 2)  # expect: DP612
print(x.shape)
