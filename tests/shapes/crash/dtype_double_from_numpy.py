# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import numpy as np
import torch
import torch.nn as nn

X = np.random.rand(100, 8)
model = nn.Linear(8, 1)
inputs = torch.from_numpy(X)  # fixed: inputs = torch.from_numpy(X).float()
out = model(inputs)  # expect: DP607
