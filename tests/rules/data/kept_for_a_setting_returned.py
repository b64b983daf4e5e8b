# A forward pass that returns early what inference wants.
import torch
from torch import nn


class Refiner(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: torch.Tensor, iterations: int = 12, last_only: bool = False):
        predictions = []
        for _ in range(iterations):
            x = self.step(x)
            y = torch.tanh(x)
            predictions.append(y)  # expect: DP442
        if last_only:
            return x, y
        return predictions


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: torch.Tensor, iterations: int = 12, last_only: bool = False):
        predictions = []
        for _ in range(iterations):
            x = self.step(x)
            if not last_only:
                predictions.append(torch.tanh(x))
        if last_only:
            return x, torch.tanh(x)
        return predictions


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: torch.Tensor, iterations: int = 12, last_only: bool = False):
        predictions = []
        for _ in range(iterations):
            x = self.step(x)
            predictions.append(torch.tanh(x))
        if last_only:
            return predictions[-1]
        return predictions


class Always(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: torch.Tensor, iterations: int = 12):
        predictions = []
        for _ in range(iterations):
            x = self.step(x)
            predictions.append(torch.tanh(x))
        return predictions


class OnData(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: torch.Tensor, iterations: int = 12):
        predictions = []
        for _ in range(iterations):
            x = self.step(x)
            predictions.append(torch.tanh(x))
        empty = x.shape[0] == 0
        if empty:
            return x
        return predictions
