# torch 1.13: RuntimeError: Expected shape of indices to be same as that of the input tensor ([1, 2, 4, 4]) but got indices tensor with shape: [1, 4, 4, 4]
import torch
from torch import nn

pool = nn.MaxPool2d(2, return_indices=True)
unpool = nn.MaxUnpool2d(2)
x = torch.rand(1, 4, 8, 8)
y, idx = pool(x)
z = unpool(y[:, :2], idx)  # expect: DP602  # fixed: z = unpool(y, idx)
