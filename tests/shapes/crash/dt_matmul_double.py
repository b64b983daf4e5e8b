# torch 1.13: RuntimeError: expected scalar type Float but found Double
import numpy as np
import torch

A = np.linalg.qr(np.random.randn(6, 6))[0]
proj = torch.tensor(A)  # fixed: proj = torch.tensor(A, dtype=torch.float32)
x = torch.randn(32, 6)
y = torch.matmul(x, proj)  # expect: DP607
print(y.mean())
