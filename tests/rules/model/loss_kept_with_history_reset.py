import torch
from torch import nn


def accumulated(net: nn.Module, batches, optimizer: torch.optim.Optimizer, log):
    running = 0
    for i, (x, y) in enumerate(batches):
        loss = nn.functional.cross_entropy(net(x), y)
        running += loss  # hint: DP230
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            log(running.detach() / 8)
            running = 0


def never_reset(net: nn.Module, batches, optimizer: torch.optim.Optimizer, log):
    running = 0
    for i, (x, y) in enumerate(batches):
        loss = nn.functional.cross_entropy(net(x), y)
        running += loss  # expect: DP230
        loss.backward()
        if (i + 1) % 8 == 0:
            optimizer.step()
            optimizer.zero_grad()
            log(running.detach() / i)
