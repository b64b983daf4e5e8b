# torch 1.13: AssertionError: Size mismatch between tensors
import torch
from torch.utils.data import TensorDataset

X = torch.randn(100, 5)
y = torch.randn(90)  # fixed: y = torch.randn(100)
dataset = TensorDataset(X, y)  # expect: DP613
