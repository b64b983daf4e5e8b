"""Numbers that a compiled function takes for constants."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Counted(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, size)
        self.calls = 0

    def forward(self, x):
        self.calls += 1  # expect: DP261
        return self.fc(x) / (1 + self.calls)


class Buffered(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, size)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.calls += 1
        return self.fc(x) / (1 + self.calls)


class NotCompiled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, size)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.fc(x)


@torch.compile
def weighted(logits, labels, weight):
    return weight * F.cross_entropy(logits, labels)


def tempered(logits, labels, temperature):
    return F.cross_entropy(logits / temperature, labels)


compiled = torch.compile(tempered)


def anneal(step, total):
    return 0.5 + 0.5 * math.cos(math.pi * step / total)


def train(loader, steps):
    model = torch.compile(Counted(64))
    other = torch.compile(Buffered(64))
    plain = NotCompiled(64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # expect: DP875
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        logits = model(x) + other(x) + plain(x)
        loss = weighted(logits, y, step / steps)  # expect: DP261
        loss = loss + compiled(logits, y, anneal(step, steps))  # expect: DP261
        loss = loss + weighted(logits, y, step)  # hint: DP261
        loss = loss + weighted(logits, y, torch.tensor(step / steps))
        loss = loss + tempered(logits, y, anneal(step, steps))
        loss = loss + weighted(logits, y, 0.5) + weighted(logits, y, logits.mean() / steps)
        loss.backward()
        optimizer.step()
