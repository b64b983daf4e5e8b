# Differences of [N, 1] and [N] that are meant.
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

layer = nn.Linear(4, 1)
for x, y in DataLoader(TensorDataset(torch.randn(40, 4), torch.randn(40)), batch_size=8):
    score = layer(x).squeeze(-1)
    pairs = score[:, None] - y
    again = score.unsqueeze(1) - y
    plain = layer(x) - y.unsqueeze(1)
    column = layer(x) - y[:, None]
    total = pairs.mean() + again.mean() + plain.mean() + column.mean()
    total.backward()
