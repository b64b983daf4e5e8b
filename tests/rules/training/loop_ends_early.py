import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


@torch.no_grad()
def returns(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    hits = 0
    for x, y in loader:
        hits += (model(x).argmax(1) == y).sum()
        return hits / len(loader.dataset)  # expect: DP929


def steps_once(model: nn.Module, dataset, optimizer: torch.optim.Optimizer):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
    optimizer.step()  # expect: DP929


def walks_once(model: nn.Module, dataset, optimizer: torch.optim.Optimizer):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
    loss.backward()  # expect: DP929
    optimizer.step()


# ---- Right


@torch.no_grad()
def first_batch(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    for x, y in loader:
        out = model(x)
        return out


@torch.no_grad()
def first_good(model: nn.Module, dataset):
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    model.eval()
    seen = 0
    for x, y in loader:
        seen += 1
        if len(x) < 64:
            continue
        return seen


def full_batch(model: nn.Module, dataset, optimizer: torch.optim.Optimizer):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    optimizer.zero_grad()
    for x, y in loader:
        loss = F.cross_entropy(model(x), y) / len(loader)
        loss.backward()
    optimizer.step()


def summed(model: nn.Module, dataset, optimizer: torch.optim.Optimizer):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4)
    optimizer.zero_grad()
    loss = 0
    for x, y in loader:
        loss = loss + F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
