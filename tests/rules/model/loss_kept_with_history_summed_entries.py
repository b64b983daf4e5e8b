"""Losses in a dictionary, which meters add up entry by entry."""
from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Mean:
    def __init__(self):
        self.total = 0.0
        self.seen = 0

    def add(self, value, count=1):
        self.total = self.total + value * count
        self.seen += count


class NumberMean:
    def __init__(self):
        self.total = 0.0
        self.seen = 0

    def add(self, value, count=1):
        self.total = self.total + value.item() * count
        self.seen += count


def parts_of(net, x, y):
    out = net(x)
    parts = {"class": F.cross_entropy(out, y), "size": out.pow(2).mean()}
    parts["sum"] = parts["class"] + 0.1 * parts["size"]
    return parts


def train(net: nn.Module, optimizer: torch.optim.Optimizer, loader: DataLoader):
    means = defaultdict(Mean)
    right_means = defaultdict(NumberMean)
    for x, y in loader:
        parts = parts_of(net, x.cuda(), y.cuda())
        optimizer.zero_grad()
        parts["sum"].backward()
        optimizer.step()
        for name, value in parts.items():
            means[name].add(value, len(x))  # expect: DP230
            right_means[name].add(value, len(x))  # right: it keeps a number
            means[name].add(value.detach(), len(x))
    return means, right_means
