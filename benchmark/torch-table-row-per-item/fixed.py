import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ROWS = 6000
BATCH = 100
COLUMNS = 12


class Table(Dataset):
    def __init__(self, frame):
        self.features = torch.from_numpy(frame.drop(columns="price").to_numpy(dtype=np.float32))
        self.prices = torch.from_numpy(frame["price"].to_numpy(dtype=np.float32))

    def __len__(self):
        return len(self.prices)

    def __getitem__(self, index):
        return self.features[index], self.prices[index]


rng = np.random.default_rng(0)
frame = pd.DataFrame(rng.random((ROWS, COLUMNS)), columns=[f"f{i}" for i in range(COLUMNS)])
frame["price"] = frame.sum(axis=1)
torch.manual_seed(0)
model = nn.Linear(COLUMNS, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for x, y in DataLoader(Table(frame), batch_size=BATCH):
    loss = nn.functional.mse_loss(model(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
