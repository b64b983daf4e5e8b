import contextlib

import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


def exchanged(net: torch.nn.Module, loader, n: int):
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / n
        loss.backward()  # expect: DP440
        if (i + 1) % n == 0:
            optimizer.step()
            optimizer.zero_grad()


def kept_back(net: torch.nn.Module, loader, n: int):
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        is_last = (i + 1) % n == 0
        with contextlib.nullcontext() if is_last else model.no_sync():
            loss = F.cross_entropy(model(x), y) / n
            loss.backward()
        if is_last:
            optimizer.step()
            optimizer.zero_grad()


def one_device(model: torch.nn.Module, loader, n: int):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / n
        loss.backward()
        if (i + 1) % n == 0:
            optimizer.step()
            optimizer.zero_grad()


def every_batch(net: torch.nn.Module, loader):
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
