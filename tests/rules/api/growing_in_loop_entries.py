import torch
import torch.nn as nn
import torch.nn.functional as F


class Memory:
    def __init__(self, capacity):
        self.capacity = capacity
        self.store = {"x": torch.zeros(0, 4), "y": torch.zeros(0, 1)}
        self.queue = torch.zeros(0, 4)
        self.fixed = torch.zeros(capacity, 4)

    def push(self, **row):
        for key, value in row.items():
            self.store[key] = torch.cat([self.store[key], value])[-self.capacity :]  # expect: DP138

    def write(self, i, x):
        self.fixed[i % self.capacity] = x


class Bank(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.register_buffer("queue", torch.zeros(k, 8))

    def enqueue(self, keys):
        self.queue = torch.cat([self.queue, keys], 0)[-self.k :]  # hint: DP138


def train(net: nn.Module, optimizer: torch.optim.Optimizer, stream):
    memory = Memory(100000)
    for i, (x, y) in enumerate(stream):
        memory.push(x=x, y=y)
        memory.write(i, x)
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()
