import math

import torch
from torch import nn

BATCH = 8
LENGTH = 64
WIDTH = 32
STEPS = 25


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        position = torch.arange(LENGTH).unsqueeze(1)
        frequency = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
        angles = position * frequency
        self.register_buffer("table", torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1))

    def forward(self, x):
        return x + self.table[:x.shape[1]]


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
