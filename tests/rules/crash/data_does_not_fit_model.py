import torch
from torch.utils.data import TensorDataset

features = torch.randn(100, 8)
TensorDataset(features, torch.zeros(100))
TensorDataset(features, torch.zeros(90))  # expect: DP613
