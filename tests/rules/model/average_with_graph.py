import torch
from torch import nn


class Shadow:
    def __init__(self, model: nn.Module, decay=0.99):
        self.decay = decay
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters()}
        self.weights = [p.detach().clone() for p in model.parameters()]

    def update(self, model: nn.Module):
        d = self.decay
        for name, p in model.named_parameters():
            self.shadow[name] = d * self.shadow[name] + (1 - d) * p  # expect: DP289

    def update_in_place(self, model: nn.Module):
        for name, p in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(p, alpha=1 - self.decay)  # expect: DP289

    def update_by_difference(self, model: nn.Module):
        for name, p in dict(model.named_parameters()).items():
            self.shadow[name] -= (1 - self.decay) * (self.shadow[name] - p)  # expect: DP289

    def update_by_lerp(self, model: nn.Module):
        for i, p in enumerate(model.parameters()):
            self.weights[i] = torch.lerp(self.weights[i], p, 1 - self.decay)  # expect: DP289

    # ---- Silent

    @torch.no_grad()
    def decorated(self, model: nn.Module):
        for name, p in model.named_parameters():
            self.shadow[name] = self.decay * self.shadow[name] + (1 - self.decay) * p

    def with_block(self, model: nn.Module):
        with torch.no_grad():
            for name, p in model.named_parameters():
                self.shadow[name].mul_(self.decay).add_(p, alpha=1 - self.decay)

    def detached(self, model: nn.Module):
        for name, p in model.named_parameters():
            self.shadow[name] = self.decay * self.shadow[name] + (1 - self.decay) * p.detach()

    def of_data(self, model: nn.Module):
        for name, p in model.named_parameters():
            self.shadow[name] = self.decay * self.shadow[name] + (1 - self.decay) * p.data

    def of_state(self, model: nn.Module):
        for name, p in model.state_dict().items():
            self.shadow[name] = self.decay * self.shadow[name] + (1 - self.decay) * p

    def fisher(self, model: nn.Module):
        for name, p in model.named_parameters():
            self.shadow[name] = 0.5 * self.shadow[name] + 0.5 * p.grad**2


def called_without_graph(model: nn.Module, shadow, loader):
    def update():
        for name, p in model.named_parameters():
            shadow[name] = 0.9 * shadow[name] + 0.1 * p

    for _ in loader:
        with torch.no_grad():
            update()


def penalty(model: nn.Module, old, x):
    terms = {}
    for name, p in model.named_parameters():
        terms[name] = 0.5 * (p - old[name]).pow(2).sum()
    return sum(terms.values()) + model(x).mean()


def in_script(model: nn.Module, optimizer, loader):
    average = {n: p.detach().clone() for n, p in model.named_parameters()}
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        for n, p in model.named_parameters():
            average[n] = 0.9 * average[n] + 0.1 * p  # expect: DP289
    return average
