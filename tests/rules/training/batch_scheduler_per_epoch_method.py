# The schedule is stepped by a method that goes through the data once, and that a loop over epochs calls.
import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR


class Trainer:
    def __init__(self, model: nn.Module, loader, epochs):
        self.model, self.loader, self.epochs = model, loader, epochs
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scheduler = OneCycleLR(self.optimizer, 0.4, epochs=epochs, steps_per_epoch=len(loader))
        self.good = OneCycleLR(self.optimizer, 0.4, epochs=epochs, steps_per_epoch=len(loader))

    def epoch(self):
        self.model.train()
        for x, y in self.loader:
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x), y).backward()
            self.optimizer.step()
            self.good.step()
        self.scheduler.step()  # expect: DP912

    def run(self):
        for _ in range(self.epochs):
            self.epoch()
