"""Losses that do and do not carry a graph, by way of branches, tuples and helpers."""
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(3, 3).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def losses(x, y):
    out = net(x)
    return F.mse_loss(out, y), F.l1_loss(out, y)


def sometimes_detached(loader, keep):
    total = 0
    for x, y in loader:
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if keep:
            value = loss
        else:
            value = loss.detach()
        total += value
    return total


def always_detached(loader, mean):
    total = 0
    for x, y in loader:
        first, second = losses(x, y)
        (first + second).backward()
        optimizer.step()
        optimizer.zero_grad()
        total += first.mean().item() if mean else second.detach()
    return total


def from_a_tuple(loader):
    total = 0
    for x, y in loader:
        first, second = losses(x, y)
        first.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += second
    return total


def on_either_device(n, gpu):
    if gpu:
        device = "cuda"
    else:
        device = "cpu"
    zeros = torch.zeros(n).to(device)
    ones = torch.ones(n).cuda() if gpu else torch.ones(n)
    return zeros, ones


def units(options, binary):
    count = options.classes
    if binary:
        count = 1
    return nn.Sequential(nn.Linear(8, count), nn.Softmax(dim=-1))


def known_units(binary):
    if binary:
        count = 1
    else:
        count = 10
    return nn.Sequential(nn.Linear(8, count), nn.Softmax(dim=-1)), nn.Sequential(nn.Linear(8, 1), nn.Softmax(dim=-1))
