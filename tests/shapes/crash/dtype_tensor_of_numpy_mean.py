# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import numpy as np
import torch
from torch import nn

data = np.array([[1.5, 2.5, 3.5], [4.0, 5.0, 6.0]])
data = (data - data.mean(axis=0)) / data.std(axis=0)
x = torch.tensor(data)  # fixed: x = torch.tensor(data, dtype=torch.float32)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())  # or here
net(x)  # expect: DP607
