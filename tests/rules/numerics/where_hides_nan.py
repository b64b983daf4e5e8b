import torch
import torch.nn as nn


def log_loss(x):
    return torch.where(x > 0, torch.log(x), torch.zeros_like(x)).mean()  # expect: DP707


def ratio_loss(a, b):
    return torch.where(b != 0, a / b, torch.zeros_like(a)).mean()  # hint: DP707


def by_name_loss(x):
    root = torch.sqrt(x)
    positive = x > 0
    return torch.where(positive, root, torch.zeros_like(x)).sum()  # expect: DP707


class Norm(nn.Module):
    def forward(self, x):
        n = x.pow(2).sum(-1)
        return torch.where(n == 0, torch.zeros_like(n), torch.sqrt(n))  # expect: DP707


# ---- Silent


def safe_loss(x):
    safe = torch.where(x > 0, x, torch.ones_like(x))
    a = torch.where(x > 0, torch.log(safe), torch.zeros_like(x))
    b = torch.where(x > 0, torch.log(x + 1e-8), torch.zeros_like(x))
    c = torch.where(x > 0, torch.log(x.clamp(min=1e-6)), torch.zeros_like(x))
    d = torch.where(x > 0, x, torch.exp(x))
    return (a + b + c + d).mean()


@torch.no_grad()
def metric_loss(x):
    return torch.where(x > 0, torch.log(x), torch.zeros_like(x)).mean()


def elsewhere(x):
    return torch.where(x > 0, torch.log(x), torch.zeros_like(x))


# What an optimizer does has no gradient.
class Scaled(torch.optim.Optimizer):
    def apply_loss_scale(self, state: torch.Tensor, scale: torch.Tensor):
        state.mul_(torch.where(scale > 0, scale.reciprocal(), 0.0))

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                self.apply_loss_scale(self.state[p]["moment"], self.state[p]["scale"])


def fit(model, x, y):
    optimizer = Scaled(model.parameters(), {})
    for i in range(100):
        optimizer.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        optimizer.step()
