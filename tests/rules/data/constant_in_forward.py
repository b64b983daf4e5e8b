import math

import torch
import torch.nn as nn


def sinusoids(length, width):
    position = torch.arange(length).unsqueeze(1)
    scale = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    return torch.cat([torch.sin(position * scale), torch.cos(position * scale)], 1)


class Whiten(nn.Module):
    def __init__(self, covariance):
        super().__init__()
        self.register_buffer("covariance", covariance)
        self.register_buffer("seen", torch.zeros(4, 4))

    def forward(self, x):
        u, s, _ = torch.linalg.svd(self.covariance)  # expect: DP428
        self.seen = self.seen + x.T @ x
        return x @ u @ torch.linalg.inv(self.seen), s


class Positions(nn.Module):
    def __init__(self, width, length=512):
        super().__init__()
        self.width, self.length = width, length
        self.scale = nn.Parameter(torch.ones(()))

    def table(self):
        position = torch.arange(self.length).unsqueeze(1)
        return torch.sin(position * torch.exp(torch.arange(self.width) / self.width))

    def learned(self):
        return torch.sin(torch.arange(self.length) * self.scale)

    def forward(self, x):
        a = self.table()  # expect: DP428
        b = sinusoids(self.length, self.width)  # expect: DP428
        c = sinusoids(x.size(1), self.width)
        d = self.learned()
        return x + a + b + c + d


class Kept(nn.Module):
    def __init__(self, width, length=512):
        super().__init__()
        self.weight = nn.Linear(width, width)
        self.register_buffer("table", sinusoids(length, width), persistent=False)

    def forward(self, x):
        return x + self.table + torch.linalg.inv(self.weight.weight)


# No module: there is a new one for each batch, and its matrix may be trained.
class Transform:
    def __init__(self, matrix=None):
        self.matrix = torch.eye(4) if matrix is None else matrix

    def inverse(self):
        return torch.inverse(self.matrix)


class Moving(nn.Module):
    def forward(self, points):
        return points @ Transform().inverse()
