# torch 1.13: no error
# wrong without an error: [8, 1] minus [8] is [8, 8]
from typing import NamedTuple

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Batch(NamedTuple):
    features: torch.Tensor
    target: torch.Tensor

    def to(self, device):
        return Batch(*(part.to(device) for part in self))


def weighted(pred, batch):
    return ((pred - batch.target) ** 2).mean()  # expect: DP606  # fixed: return ((pred.squeeze(-1) - batch.target) ** 2).mean()


class Experiment:
    def __init__(self, data):
        self.loader = DataLoader(data, batch_size=8, drop_last=True)
        self.model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def batches(self):
        for tensors in self.loader:
            yield Batch(*tensors).to("cpu")

    def epoch(self):
        for batch in self.batches():
            weighted(self.model(batch.features), batch).backward()


Experiment(TensorDataset(torch.randn(40, 4), torch.randn(40))).epoch()
