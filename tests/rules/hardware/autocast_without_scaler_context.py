"""A method that gives the context."""
import torch
from torch import nn

TYPES = {"half": torch.float16, "brain": torch.bfloat16}


class Precision:
    def __init__(self, name):
        self.dtype = TYPES[name]

    def context(self):
        return torch.autocast("cuda", dtype=self.dtype)  # expect: DP501

    def step(self, loss, optimizer):
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


class Brain:
    def context(self):
        return torch.autocast("cuda", dtype=torch.bfloat16)


class Inference:
    def context(self):
        return torch.autocast("cuda", dtype=torch.float16)


def train(model: nn.Module, optimizer, loader, precision="half"):
    mixed = Precision(precision)
    for x, y in loader:
        with mixed.context():
            loss = nn.functional.cross_entropy(model(x), y)
        mixed.step(loss, optimizer)


def train_brain(model: nn.Module, optimizer, loader):
    mixed = Brain()
    for x, y in loader:
        optimizer.zero_grad(set_to_none=True)
        with mixed.context():
            loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model: nn.Module, loader):
    mixed = Inference()
    model.eval()
    for x, _ in loader:
        with mixed.context():
            yield model(x)


def main(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer, loader)
    train_brain(model, optimizer, loader)
