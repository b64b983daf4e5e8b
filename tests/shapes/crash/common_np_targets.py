# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import numpy as np
import torch
from torch import nn
X = np.random.rand(20, 5).astype(np.float64)  # fixed: X = np.random.rand(20, 5).astype(np.float32)
model = nn.Linear(5, 1)
print(model(torch.from_numpy(X)).mean())  # expect: DP607
