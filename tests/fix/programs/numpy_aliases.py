# DP301
import numpy as np
import torch

vars(np)["float"] = float  # NumPy 1.24 and later lack them
vars(np)["int"] = int
a = np.zeros(3, dtype=np.float)
b = np.ones((2, 2)).astype(np.int)
print(a.dtype, b.dtype, np.product([2, 3, 4]), np.NaN, np.Inf, [np.float_(1) for _ in range(2)])
print(torch.from_numpy(a))
