import torch
from torch import nn


def train(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    table = torch.rand(1000, 64, device="cuda")
    for x, labels in loader:
        x = x.cuda()
        first = x[torch.arange(8), labels]  # expect: DP401
        # A part is where the whole is, and would be taken again for its `.device`.
        second = table[:, :32][torch.arange(4)]  # expect: DP401
        third = table[torch.arange(8, device=table.device), 0]
        loss = model(first).sum() + second.sum() + third.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
