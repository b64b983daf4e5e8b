# torch 1.13: RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
import numpy as np
import torch
from torch import nn

model = nn.Linear(3, 1)
pred = model(torch.randn(5, 3))
values = pred.numpy()  # expect: DP609  # fixed: values = pred.detach().numpy()
print(np.mean(values))
