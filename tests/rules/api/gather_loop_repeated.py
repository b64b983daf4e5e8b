import torch
from torch import nn
from torch.utils.data import DataLoader


class Scores(nn.Module):
    def forward(self, data: torch.Tensor, actions: torch.Tensor, labels: torch.Tensor, scale: torch.Tensor):
        chosen = torch.stack([data[i, actions[i]] for i in range(len(data))])  # expect: DP161
        return self.distances(data, chosen) + self.counts(labels) + self.doubled(data) + data @ torch.diag(scale)  # expect: DP163

    def distances(self, a: torch.Tensor, b: torch.Tensor):
        out = torch.zeros(len(a), device=a.device)
        for i in range(len(a)):  # expect: DP162
            out[i] = torch.norm(a[i] - b[i])
        return out

    def counts(self, labels: torch.Tensor):
        out = torch.zeros(len(labels), 10, device=labels.device)
        for i in range(len(labels)):  # expect: DP160
            out[i, labels[i]] = 1
        return out

    def doubled(self, data: torch.Tensor):
        return self.added(data)

    def added(self, data: torch.Tensor):
        out = torch.empty_like(data)
        for i in range(len(data)):  # expect: DP139
            out[i] = data[i] * 2 + 1
        return out


class Walks:
    def __init__(self, table: torch.Tensor):
        self.table = table

    def pairs(self, index: torch.Tensor):
        return torch.stack([self.table[i] for i in index])  # expect: DP161

    def sample(self, items):
        return self.pairs(torch.tensor(items))

    def loader(self, **options):
        return DataLoader(range(100), collate_fn=self.sample, num_workers=4, **options)


def converted(weights: torch.Tensor, order: torch.Tensor):
    return torch.stack([weights[i] for i in order])  # expect: DP161
