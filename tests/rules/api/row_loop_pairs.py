import numpy as np
import torch
from torch import nn

IGNORE = 255


class Counts:
    def __init__(self, classes):
        self.matrix = np.zeros((classes, classes), dtype=np.int64)
        self.total = torch.zeros(classes)

    def update(self, predicted: torch.Tensor, labels: torch.Tensor):
        predicted, labels = predicted.cpu().numpy().ravel(), labels.cpu().numpy().ravel()
        for p, t in zip(predicted, labels):  # expect: DP160
            if t != IGNORE:
                self.matrix[t, p] += 1

    def smooth(self, values: torch.Tensor):
        for i in range(1, len(values)):
            self.total[i] = self.total[i - 1] + values[i]


class Contrast(nn.Module):
    def forward(self, z: torch.Tensor, y: torch.Tensor):
        n = z.size(0)
        rows = []
        for i in range(n):  # expect: DP162
            near = torch.stack([torch.dot(z[i], z[j]) for j in range(n) if j != i])
            same = torch.stack([y[i] == y[j] for j in range(n) if j != i])
            rows.append(-(near * same).sum() / same.sum().clamp(min=1))
        return torch.stack(rows).mean()
