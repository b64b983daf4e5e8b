import numpy as np
import torch
from torch import nn

STEPS = 200
BATCH = 64
FEATURES = 784

rng = np.random.default_rng(0)
images = rng.random((STEPS * BATCH, FEATURES)).astype(np.float32)
labels = np.arange(STEPS * BATCH) % 10

torch.manual_seed(0)
model = nn.Linear(FEATURES, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for start in range(0, len(images), BATCH):
    batch = images[start:start + BATCH]
    x = torch.tensor(batch.tolist())
    y = torch.tensor(labels[start:start + BATCH].tolist())
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
