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
    total = 0.0
    for i in range(len(x)):
        prediction = model(x[i])
        loss = criterion(prediction, y[i]) / BATCH
        loss.backward()
        total += loss.item()
    optimizer.step()
    losses.append(total)

result = losses
