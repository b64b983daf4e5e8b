from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F


class Meter:
    def __init__(self):
        self.sum, self.n = 0.0, 0

    def update(self, value, n=1):
        self.sum = self.sum + value * n
        self.n += n


class Balancer(nn.Module):
    def __init__(self):
        super().__init__()
        self.running = torch.ones(())  # expect: DP404
        self.clean = torch.ones(())  # expect: DP404

    def forward(self, loss):
        self.running = 0.9 * self.running + 0.1 * loss  # expect: DP230
        self.clean = 0.9 * self.clean + 0.1 * loss.detach()
        return loss / self.running


def train(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    meters = {"loss": Meter(), "l1": Meter()}
    other = defaultdict(Meter)
    balance = Balancer()
    for x, y in loader:
        out = model(x)
        loss = balance(F.mse_loss(out, y))
        l1 = F.l1_loss(out, y)
        optimizer.zero_grad()
        (loss + l1).backward()
        optimizer.step()
        meters["loss"].update(l1, x.size(0))  # expect: DP230
        meters["l1"].update(l1.detach())
        other["l1"].update(l1)  # expect: DP230
