import torch
from torch import nn

STEPS = 60
BATCH = 256

torch.manual_seed(0)
mean = torch.tensor([0.5, 0.4, 0.3]).reshape(3, 1, 1)
std = torch.tensor([0.2, 0.2, 0.3]).reshape(3, 1, 1)
model = nn.Linear(3 * 6 * 6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
images = torch.rand(BATCH, 3, 6, 6)
labels = torch.arange(BATCH) % 2
losses = []
for step in range(STEPS):
    batch = torch.stack([(image - mean) / std for image in images])
    loss = nn.functional.cross_entropy(model(batch.flatten(1)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
