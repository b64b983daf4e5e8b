import torch
import torch.nn as nn
import torch.nn.functional as F


class Center(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(n, d))

    def forward(self, f, y):
        return F.mse_loss(f, self.centers[y])


def make_optimizer(module, lr):
    decay = [p for p in module.parameters() if p.ndim > 1]
    plain = [p for p in module.parameters() if p.ndim <= 1]
    return torch.optim.SGD([{"params": decay, "weight_decay": 5e-4}, {"params": plain}], lr=lr)


def forgotten(loader):
    net = nn.Linear(8, 8)
    center = Center(10, 8)
    optimizer = make_optimizer(net, 0.1)  # expect: DP875
    total = torch.zeros(())
    for x, y in loader:
        loss = center(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total


def both(loader):
    net = nn.Linear(8, 8)
    center = Center(10, 8)
    optimizer = make_optimizer(nn.ModuleList([net, center]), 0.1)
    for x, y in loader:
        loss = center(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
