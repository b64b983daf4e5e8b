import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader


def hide(x: torch.Tensor):
    mask = x.sum(1) > 0
    x[mask][:, 0] = 0.0  # expect: DP928
    x[mask].zero_()  # expect: DP928
    x[~mask][0] += 1.0  # expect: DP928
    x[:, [0, 2]].clamp_(min=0)  # expect: DP928
    rows = torch.nonzero(mask).squeeze(1)
    x[rows].fill_(1.0)  # expect: DP928
    return x


def count(dataset):
    counts = torch.zeros(10)
    for x, labels in DataLoader(dataset, batch_size=64, num_workers=4):
        counts[labels] += 1  # expect: DP928
    return counts


def right(x: torch.Tensor, dataset):
    mask = x.sum(1) > 0
    x[mask, 0] = 0.0
    x[mask] = 0.0
    x[mask] += 1.0
    x[0].zero_()
    x[1:3][:, 0] = 0.0
    x[:, :2].clamp_(min=0)
    x[mask].add(1)
    counts = torch.zeros(10)
    for y, labels in DataLoader(dataset, batch_size=64, num_workers=4):
        counts += torch.bincount(labels, minlength=10)
    return x


def grid(size: int):
    table = [[0] * size for _ in range(size)]
    table[0][1] = 1
    names = {"a": np.zeros(3)}
    names["a"][0] = 1
    return table
