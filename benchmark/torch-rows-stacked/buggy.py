import torch
from torch import nn

STEPS = 600
BATCH = 256
SAMPLES = 5000

torch.manual_seed(0)
data = torch.randn(SAMPLES, 16)
targets = data.sum(dim=1)
model = nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for step in range(STEPS):
    indices = torch.randperm(SAMPLES)[:BATCH]
    x = torch.stack([data[i] for i in indices])
    y = torch.stack([targets[i] for i in indices])
    loss = nn.functional.mse_loss(model(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
