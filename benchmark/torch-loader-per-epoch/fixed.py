import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EPOCHS = 20
SAMPLES = 64
BATCH = 16


class Windows(Dataset):
    def __init__(self, series, width=48):
        self.series = series
        self.width = width

    def __len__(self):
        return SAMPLES

    def __getitem__(self, index):
        window = self.series[index:index + self.width + 1]
        window = (window - window.mean()) / (window.std() + 1e-6)
        return torch.from_numpy(window[:-1]), torch.from_numpy(window[-1:])


series = np.sin(np.arange(1000, dtype=np.float32) / 7)
dataset = Windows(series)
torch.manual_seed(0)
model = nn.Linear(48, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
losses = []
loader = DataLoader(dataset, batch_size=BATCH, num_workers=2, persistent_workers=True)
for epoch in range(EPOCHS):
    for history, target in loader:
        loss = nn.functional.mse_loss(model(history), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.append(loss.item())

result = losses
