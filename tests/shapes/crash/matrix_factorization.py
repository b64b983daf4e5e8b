# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (128x16 and 32x32)
import torch
import torch.nn as nn


class MF(nn.Module):
    def __init__(self, users, items, k):
        super().__init__()
        self.u = nn.Embedding(users, k)
        self.i = nn.Embedding(items, k)
        self.mlp = nn.Sequential(nn.Linear(2 * k, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, u, i):
        a = self.u(u)
        b = self.i(i)
        x = torch.cat([a, b], dim=0)  # fixed: x = torch.cat([a, b], dim=1)
        return self.mlp(x).squeeze(-1)  # expect: DP601


mf = MF(100, 500, 16)
users = torch.randint(0, 100, (64,))
items = torch.randint(0, 500, (64,))
ratings = torch.rand(64)
loss = nn.functional.mse_loss(mf(users, items), ratings)
loss.backward()
