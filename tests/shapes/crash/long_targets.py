# torch 1.13: RuntimeError: expected scalar type Long but found Float
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader


class Table(Dataset):
    def __init__(self, n):
        self.x = np.random.randn(n, 12).astype("float32")
        self.y = np.random.randint(0, 3, n).astype("float32")  # fixed: self.y = np.random.randint(0, 3, n).astype("int64")

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.tensor(self.x[i]), torch.tensor(self.y[i])


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(12, 30)
        self.b = nn.Linear(30, 3)

    def forward(self, x):
        return F.log_softmax(self.b(F.relu(self.a(x))), dim=1)


loader = DataLoader(Table(100), batch_size=20)
model = MLP()
for x, y in loader:
    loss = F.nll_loss(model(x), y)  # expect: DP607
    loss.backward()
