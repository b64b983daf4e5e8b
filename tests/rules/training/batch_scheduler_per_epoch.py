import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, OneCycleLR, StepLR

loss_function = nn.MSELoss()


def one_cycle(model: nn.Module, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()
        scheduler.step()  # expect: DP912


def total(model: nn.Module, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = epochs * len(loader)
    scheduler = OneCycleLR(optimizer, 0.1, total_steps=steps)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()
        scheduler.step()  # expect: DP912


class Trainer:
    def __init__(self, model: nn.Module, loader, epochs):
        self.model, self.loader, self.epochs = model, loader, epochs
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scheduler = CosineAnnealingLR(self.optimizer, T_max=len(loader) * epochs)

    def epoch(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            loss_function(self.model(x), y).backward()
            self.optimizer.step()

    def fit(self):
        for epoch in range(self.epochs):
            self.epoch()
            self.scheduler.step()  # expect: DP912


# ---- Silent


def each_batch(model: nn.Module, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=len(loader))
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()
            scheduler.step()


def in_epochs(model: nn.Module, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    other = OneCycleLR(optimizer, 0.1, epochs=epochs, steps_per_epoch=1)
    decay = StepLR(optimizer, 30)
    warm = LinearLR(optimizer, total_iters=5)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss_function(model(x), y).backward()
            optimizer.step()
        scheduler.step()
        other.step()
        decay.step()
        warm.step()
