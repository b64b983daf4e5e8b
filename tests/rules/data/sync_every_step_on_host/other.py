# Another program of the repository, which uses a GPU.
import torch
import torch.nn as nn


def train(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    model.cuda()
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
