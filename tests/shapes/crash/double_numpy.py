# torch 1.13: RuntimeError: mat1 and mat2 must have the same dtype
import numpy as np
import torch
import torch.nn as nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, x):
        return self.layers(x)  # expect: DP607


def make_data(n):
    x = np.random.uniform(-1, 1, size=(n, 4))
    y = (x ** 2).sum(axis=1, keepdims=True)
    return x, y


x, y = make_data(256)
x_t = torch.from_numpy(x)  # fixed: x_t = torch.from_numpy(x).float()
y_t = torch.from_numpy(y).float()
net = Regressor()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(10):
    pred = net(x_t)
    loss = ((pred - y_t) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
