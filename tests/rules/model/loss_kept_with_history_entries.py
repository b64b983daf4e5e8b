from collections import defaultdict

import torch
import torch.nn.functional as F


def fit(net: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    logs = defaultdict(list)
    for x, y in loader:
        out = net(x)
        first = F.cross_entropy(out, y)
        loss = first + 1e-4 * out.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logs["first"].append(first)  # expect: DP230
        logs["second"].append(first.detach())
    return {k: torch.stack(v).mean().item() for k, v in logs.items()}


def summed(net: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        parts = {"all": []}
        for a, b in zip(x, y):
            parts["all"].append(F.cross_entropy(net(a), b))
        loss = sum(parts["all"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
