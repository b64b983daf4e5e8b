import numpy as np
import pandas as pd
import torch
from torch import nn

ROWS = 15000

rng = np.random.default_rng(0)
flights = pd.DataFrame(rng.random((ROWS, 4)), columns=["distance", "duration", "delay", "price"])
x = torch.tensor(flights[["distance", "duration", "delay"]].to_numpy(), dtype=torch.float32)
y = torch.tensor(flights["price"].to_numpy(), dtype=torch.float32)

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    loss = nn.functional.mse_loss(model(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

result = [loss.item(), x.mean().item()]
