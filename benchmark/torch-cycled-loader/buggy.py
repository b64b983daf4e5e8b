import itertools

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SAMPLES = 2000
BATCH = 50
SIZE = 8192
STEPS = 60


class Signals(Dataset):
    """Signals that are generated when they are asked for."""

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        return torch.sin(torch.arange(SIZE) * (0.001 * index)), index % 4


def endless(loader):
    return itertools.cycle(loader)


torch.manual_seed(0)
model = nn.Linear(SIZE, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
batches = endless(DataLoader(Signals(), batch_size=BATCH))
losses = []
for step in range(STEPS):
    x, y = next(batches)
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
