import torch
import torch.nn.functional as F


class Reader:
    def __init__(self):
        self.sums = {}

    def log(self, **values):
        for name, value in values.items():
            self.sums[name] = self.sums.get(name, 0.0) + value.item()


class Keeper:
    def __init__(self):
        self.sums = {}

    def log(self, **values):
        for name, value in values.items():
            self.sums[name] = self.sums.get(name, 0.0) + value.detach()


def train_reading(model, loader, optimizer):
    logger = Reader()
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.log(loss=loss)  # expect: DP402


def train_keeping(model, loader, optimizer):
    logger = Keeper()
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.log(loss=loss)
    return {name: float(value) for name, value in logger.sums.items()}
