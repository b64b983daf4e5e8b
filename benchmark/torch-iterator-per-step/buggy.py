import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

STEPS = 40
BATCH = 32
SAMPLES = 300000

torch.manual_seed(0)
features = torch.randn(SAMPLES, 8)
targets = features.sum(dim=1, keepdim=True)
loader = DataLoader(TensorDataset(features, targets), batch_size=BATCH, shuffle=True)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(STEPS):
    x, y = next(iter(loader))
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

result = loss.item()
