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
        self.frame = frame

    def __len__(self):
        return len(self.frame)

    def __getitem__(self, index):
        row = self.frame.iloc[index]
        features = torch.tensor(row.drop("price").values.astype(np.float32))
        return features, torch.tensor(np.float32(row["price"]))


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
