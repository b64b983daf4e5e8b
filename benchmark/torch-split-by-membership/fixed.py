import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

SAMPLES = 20000

torch.manual_seed(0)
random.seed(0)
dataset = TensorDataset(torch.randn(SAMPLES, 6), torch.randn(SAMPLES, 1))
validation_indices = random.sample(range(SAMPLES), SAMPLES // 5)
held_out = set(validation_indices)
train_indices = [i for i in range(SAMPLES) if i not in held_out]
train_set = Subset(dataset, train_indices)
validation_set = Subset(dataset, validation_indices)

model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in DataLoader(train_set, batch_size=512):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

result = [loss.item(), len(train_set), len(validation_set)]
