from multiprocessing import Pool

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SAMPLES = 320
BATCH = 16
WORKERS = 2


def spectrum(signal):
    return np.abs(np.fft.rfft(signal)).astype(np.float32)


def features(pool, signals):
    rows = pool.map(spectrum, signals.numpy())
    return torch.from_numpy(np.stack(rows))


torch.manual_seed(0)
data = TensorDataset(torch.randn(SAMPLES, 2048), torch.randint(4, (SAMPLES,)))
model = nn.Linear(1025, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
losses = []
with Pool(WORKERS) as pool:
    for signals, labels in DataLoader(data, batch_size=BATCH):
        loss = nn.functional.cross_entropy(model(features(pool, signals)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

result = losses
