"""A function of the project decides in which steps numbers are read."""
import torch
from torch import nn


class Metrics:
    def __init__(self, every):
        self.every = every

    def is_due(self, step):
        return step == 1 or step % self.every == 0

    def is_ready(self, step):
        return step > self.every


class Runner:
    def __init__(self, model: nn.Module, metrics: Metrics):
        self.model = model.cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), fused=True)
        self.metrics = Metrics(100)
        self.step = 0

    def train_step(self, x, y):
        self.step += 1
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x.cuda()), y.cuda())
        loss.backward()
        self.optimizer.step()
        if not self.metrics.is_due(self.step):
            return
        print(loss.item())

    def other_step(self, x, y):
        self.step += 1
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x.cuda()), y.cuda())
        loss.backward()
        self.optimizer.step()
        if not self.metrics.is_ready(self.step):
            return
        print(loss.item())


def train(runner: Runner, batches):
    for x, y in batches:
        runner.train_step(x, y)


def train_other(runner: Runner, batches):
    for x, y in batches:
        runner.other_step(x, y)  # expect: DP402
