from collections import OrderedDict

import torch


@torch.no_grad()
def average(mean: torch.nn.Module, model: torch.nn.Module, decay=0.999):
    means = OrderedDict(mean.named_parameters())
    values = OrderedDict(model.named_parameters())
    for name, value in values.items():
        means[name].mul_(decay).add_(value.data, alpha=1 - decay)  # expect: DP192


def polyak(target: torch.nn.Module, net: torch.nn.Module, tau: float):
    for old, new in zip(target.parameters(), net.parameters()):
        old.data.copy_(tau * new.data + (1 - tau) * old.data)  # expect: DP192


def replaced(target: torch.nn.Module, net: torch.nn.Module, tau: float):
    for old, new in zip(target.parameters(), net.parameters()):
        old.data = tau * new.data + (1 - tau) * old.data  # expect: DP192


def repaired(model: torch.nn.Module):
    for value in model.parameters():
        if value.grad is not None:
            torch.nan_to_num(value.grad, nan=0, posinf=1e5, neginf=-1e5, out=value.grad)  # expect: DP192


class Decayed(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for value in group["params"]:
                value.add_(value.grad, alpha=-group["lr"])  # hint: DP192


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
        repaired(model)
        optimizer.step()
        replaced(mean, model, 0.01)
        average(mean, model)
        polyak(mean, model, 0.01)
        copied(mean, model)
