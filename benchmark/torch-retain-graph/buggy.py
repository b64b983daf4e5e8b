import torch
from torch import nn

BATCH = 32768
STEPS = 12
WIDTH = 32

torch.manual_seed(0)
blocks = []
for _ in range(32):
    blocks += [nn.Linear(WIDTH, WIDTH), nn.GELU()]
model = nn.Sequential(nn.Linear(32, WIDTH), *blocks, nn.Linear(WIDTH, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
criterion = nn.CrossEntropyLoss()
inputs = torch.randn(BATCH, 32)
labels = torch.randint(4, (BATCH,))

losses = []
for step in range(STEPS):
    optimizer.zero_grad()
    loss = criterion(model(inputs), labels)
    loss.backward(retain_graph=True)
    optimizer.step()
    losses.append(loss.item())

result = losses
