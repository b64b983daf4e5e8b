from collections import OrderedDict

import torch


@torch.no_grad()
def average(mean: torch.nn.Module, model: torch.nn.Module, decay=0.999):
    means = OrderedDict(mean.named_parameters())
    values = OrderedDict(model.named_parameters())
    for name, value in values.items():
        means[name].mul_(decay).add_(value.data, alpha=1 - decay)  # hint: DP192


def polyak(target: torch.nn.Module, net: torch.nn.Module, tau: float):
    for old, new in zip(target.parameters(), net.parameters()):
        old.data.copy_(tau * new.data + (1 - tau) * old.data)  # hint: DP192


def copied(target: torch.nn.Module, net: torch.nn.Module):
    for old, new in zip(target.parameters(), net.parameters()):
        old.data.copy_(new.data)


def started(model: torch.nn.Module):
    for value in model.parameters():
        value.data.mul_(0.5)


def train(model: torch.nn.Module, mean: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    started(model)
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        average(mean, model)
        polyak(mean, model, 0.01)
        copied(mean, model)
