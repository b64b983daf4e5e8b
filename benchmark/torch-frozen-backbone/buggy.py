import torch
from torch import nn

BATCH = 128
STEPS = 12
WIDTH = 1024

torch.manual_seed(0)
backbone = nn.Sequential(
    nn.Linear(256, WIDTH), nn.ReLU(),
    nn.Linear(WIDTH, WIDTH), nn.ReLU(),
    nn.Linear(WIDTH, WIDTH), nn.ReLU(),
    nn.Linear(WIDTH, 128),
)
head = nn.Linear(128, 10)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
inputs = torch.randn(STEPS, BATCH, 256)
labels = torch.randint(10, (STEPS, BATCH))

backbone.eval()
losses = []
for x, y in zip(inputs, labels):
    features = backbone(x)
    loss = criterion(head(features), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
