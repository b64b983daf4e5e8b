import torch
from torch import nn

BATCH = 64
STEPS = 30
FEATURES = 20

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(FEATURES, 64), nn.Tanh(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.MSELoss()
inputs = torch.randn(STEPS, BATCH, FEATURES)
targets = inputs.sum(dim=2, keepdim=True)

losses = []
for x, y in zip(inputs, targets):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
