import numpy as np
import torch
from torch import nn

BATCH = 512
STEPS = 10
WIDTH = 512

torch.manual_seed(0)
rng = np.random.default_rng(0)
features = rng.normal(size=(BATCH, 64))
prices = features.sum(axis=1, keepdims=True)
model = nn.Sequential(nn.Linear(64, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.from_numpy(features).float()
y = torch.from_numpy(prices).float()
losses = []
for step in range(STEPS):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
