# DP301
import numpy as np
import torch

x = np.array([1.0, np.NaN, 3.0])
print(f"{np.NaN} {np.round_(x, 1)!r:>30}")
print(np.cumproduct(x), np.alltrue(x > 0), np.sometrue(x > 0))
print(torch.tensor(np.Infinity))
