# A meter that keeps a running average of what it is given.
import torch
from torch import nn


class Smoother:
    def __init__(self, momentum=0.98):
        self.momentum = momentum
        self.mean = 0.0

    def update(self, value):
        self.mean = self.momentum * self.mean + (1 - self.momentum) * value


class Detaching(Smoother):
    def update(self, value):
        self.mean = self.momentum * self.mean + (1 - self.momentum) * value.detach()


def train(model: nn.Module, loader):
    optimizer = torch.optim.AdamW(model.parameters())
    smooth = Smoother()
    right = Detaching()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        smooth.update(loss)  # expect: DP230
        right.update(loss)
        smooth.update(loss.detach())
