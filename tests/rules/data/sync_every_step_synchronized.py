# Behind an explicit wait the device has nothing left to do.
import time

import torch
import torch.nn as nn


def timed(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    total = 0.0
    spent = 0.0
    start = time.time()
    for x in loader:
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()  # expect: DP402

        total += loss.item()
        spent += time.time() - start
        start = time.time()
    return total, spent


# Something is computed in between, and is waited for.
def computed(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    total = 0.0
    start = time.time()
    for x in loader:
        torch.cuda.synchronize()
        start = time.time()
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()  # expect: DP402
    return total, start


# The wait is in some steps only.
def seldom(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    total = 0.0
    for i, x in enumerate(loader):
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if i % 100 == 0:
            torch.cuda.synchronize()
        total += loss.item()  # expect: DP402
    return total


# A helper that waits, and one that computes.
def wait():
    torch.cuda.synchronize()


class Trainer:
    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer):
        self.model = model
        self.optimizer = optimizer
        self.loss = torch.zeros((), device="cuda")

    def advance(self):
        self.loss = self.model(torch.ones(4, 4, device="cuda")).sum()

    def run(self, loader):
        total = 0.0
        start = time.time()
        for x in loader:
            self.model(x.cuda()).sum().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            wait()
            start = time.time()
            self.advance()
            total += float(self.loss)  # expect: DP402
        return total, start

    def run_waiting(self, loader):
        total = 0.0
        start = time.time()
        for x in loader:
            loss = self.model(x.cuda()).sum()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            wait()  # expect: DP402
            start = time.time()
            total += float(loss)
        return total, start
