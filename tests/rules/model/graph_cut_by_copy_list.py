import torch
from torch import nn


class Weighted(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.register_buffer("weights", torch.linspace(0.5, 1.0, count))

    def one(self, prediction, target):
        return (prediction - target).square().mean()


class Copied(Weighted):
    def forward(self, predictions, target):
        parts = [self.one(prediction, target) for prediction in predictions]
        parts = torch.tensor(parts, requires_grad=True)  # expect: DP869
        return (self.weights * parts).sum()


class Stacked(Weighted):
    def forward(self, predictions, target):
        parts = [self.one(prediction, target) for prediction in predictions]
        return (self.weights * torch.stack(parts)).sum()


class Logged(Weighted):
    def forward(self, predictions, target):
        parts = [self.one(prediction, target) for prediction in predictions]
        self.seen = torch.tensor([part.item() for part in parts])
        return (self.weights * torch.stack(parts)).sum()


def train(model: nn.Module, loader, optimizer):
    criterion = Copied(3)
    other = Stacked(3)
    third = Logged(3)
    for x, y in loader:
        outputs = [model(x), model(x * 2), model(x * 3)]
        loss = criterion(outputs, y) + other(outputs, y) + third(outputs, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
