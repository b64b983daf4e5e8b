import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EPOCHS = 25
SAMPLES = 64
BATCH = 16


class Signals(Dataset):
    def __init__(self):
        self.raw = np.random.default_rng(0).random((SAMPLES, 256), dtype=np.float32)

    def __len__(self):
        return len(self.raw)

    def __getitem__(self, index):
        spectrum = np.abs(np.fft.rfft(self.raw[index]))
        return torch.from_numpy(spectrum.astype(np.float32)), index % 4


torch.manual_seed(0)
model = nn.Linear(129, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
loader = DataLoader(Signals(), batch_size=BATCH, num_workers=2)
losses = []
for epoch in range(EPOCHS):
    for spectra, labels in loader:
        loss = nn.functional.cross_entropy(model(spectra), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.append(loss.item())

result = losses
