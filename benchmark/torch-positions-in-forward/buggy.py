import math

import torch
from torch import nn

BATCH = 8
LENGTH = 64
WIDTH = 32
STEPS = 25


class Positions(nn.Module):
    def forward(self, x):
        table = torch.zeros(x.shape[1], WIDTH)
        for position in range(x.shape[1]):
            for i in range(0, WIDTH, 2):
                table[position, i] = math.sin(position / 10000 ** (i / WIDTH))
                table[position, i + 1] = math.cos(position / 10000 ** (i / WIDTH))
        return x + table


torch.manual_seed(0)
model = nn.Sequential(Positions(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(BATCH, LENGTH, WIDTH)
losses = []
for step in range(STEPS):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
