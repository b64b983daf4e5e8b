# The parts of a step in methods of their own.
import contextlib

import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, net: torch.nn.Module, n: int):
        self.model = DDP(net)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.n = n

    def backward(self, x, y):
        loss = F.cross_entropy(self.model(x), y) / self.n
        loss.backward()  # expect: DP440
        return loss.detach()

    def update(self):
        self.optimizer.step()
        self.optimizer.zero_grad()

    def run(self, loader):
        for i, (x, y) in enumerate(loader, start=1):
            is_last = i % self.n == 0
            self.backward(x, y)
            if is_last:
                self.optimizer.step()
                self.optimizer.zero_grad()


class Careful:
    def __init__(self, net: torch.nn.Module, n: int):
        self.model = DDP(net)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.n = n

    def backward(self, x, y):
        loss = F.cross_entropy(self.model(x), y) / self.n
        loss.backward()

    def run(self, loader):
        for i, (x, y) in enumerate(loader, start=1):
            is_last = i % self.n == 0
            with contextlib.nullcontext() if is_last else self.model.no_sync():
                self.backward(x, y)
            if is_last:
                self.optimizer.step()
                self.optimizer.zero_grad()


class Inside:
    def __init__(self, net: torch.nn.Module, n: int):
        self.model = DDP(net)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.n = n

    def backward(self, x, y, is_last):
        self.model.require_backward_grad_sync = is_last
        loss = F.cross_entropy(self.model(x), y) / self.n
        loss.backward()

    def run(self, loader):
        for i, (x, y) in enumerate(loader, start=1):
            is_last = i % self.n == 0
            self.backward(x, y, is_last)
            if is_last:
                self.optimizer.step()
                self.optimizer.zero_grad()


class Single:
    def __init__(self, net: torch.nn.Module, n: int):
        self.model = net
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.n = n

    def backward(self, x, y):
        loss = F.cross_entropy(self.model(x), y) / self.n
        loss.backward()

    def run(self, loader):
        for i, (x, y) in enumerate(loader, start=1):
            self.backward(x, y)
            if i % self.n == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()


class EveryBatch:
    def __init__(self, net: torch.nn.Module):
        self.model = DDP(net)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def step(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def run(self, loader):
        for i, (x, y) in enumerate(loader, start=1):
            self.step(x, y)
            if i % 100 == 0:
                print(i)
