import os
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SAMPLES = 256
BATCH = 16
LATENCY = 0.006


class Scans(Dataset):
    def __init__(self, folder):
        self.paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        time.sleep(LATENCY)
        scan = np.load(self.paths[index])
        return torch.from_numpy((scan - scan.mean()) / scan.std())


folder = tempfile.mkdtemp()
rng = np.random.default_rng(0)
for i in range(SAMPLES):
    np.save(os.path.join(folder, f"{i:05}.npy"), rng.random((32, 32), dtype=np.float32))

torch.manual_seed(0)
model = nn.Linear(32 * 32, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
loader = DataLoader(Scans(folder), batch_size=BATCH)
losses = []
for scans in loader:
    loss = model(scans.flatten(1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
