# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class SineData(Dataset):
    def __init__(self, n):
        self.x = np.linspace(0, 1, n).reshape(-1, 1)
        self.y = np.sin(self.x)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]  # fixed: return self.x[i].astype(np.float32), self.y[i].astype(np.float32)


loader = DataLoader(SineData(64), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))  # or here
for x, y in loader:
    loss = nn.functional.mse_loss(model(x), y)  # expect: DP607
