import copy

import torch
import torch.nn as nn


def descend(x: torch.Tensor, y: torch.Tensor):
    w = torch.zeros(10, requires_grad=True)
    for _ in range(100):
        loss = (x @ w - y).pow(2).mean()
        loss.backward()
        w -= 0.1 * w.grad  # expect: DP922
        w.grad.zero_()
    return w


def replaced(x: torch.Tensor, y: torch.Tensor):
    w = torch.zeros(10, requires_grad=True)
    for _ in range(100):
        loss = (x @ w - y).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            w = w - 0.1 * w.grad  # expect: DP922
    return w


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(8))
        self.gate[0] = 1.0  # expect: DP922
        self.lin = nn.Linear(8, 8)
        self.lin.bias.fill_(0.1)
        nn.init.zeros_(self.lin.weight)
        with torch.no_grad():
            self.gate[1] = 1.0
        self.gate.data[2] = 1.0

    def forward(self, x):
        return self.lin(x) * self.gate


def soft_update(target: nn.Module, source: nn.Module):
    for p, q in zip(target.parameters(), source.parameters()):
        p.mul_(0.99)
        p.data.add_(0.01 * q.data)


def attack(model: nn.Module, device):
    noise = torch.randn(1, 3, 8, 8, requires_grad=True).to(device)  # hint: DP401
    scale = nn.Parameter(torch.ones(1)) * 0.1
    fine = torch.randn(1, 3, 8, 8, device=device, requires_grad=True)
    return torch.optim.Adam([noise, scale, fine], lr=0.1)  # expect: DP922


@torch.no_grad()
def under_no_grad(target: nn.Module, source: nn.Module):
    for p, q in zip(target.parameters(), source.parameters()):
        p.lerp_(q, 0.01)


def right(x: torch.Tensor, y: torch.Tensor):
    w = torch.zeros(10, requires_grad=True)
    total = torch.zeros(())
    for _ in range(100):
        loss = (x @ w - y).pow(2).mean()
        loss.backward()
        total += loss.detach()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
    return w, total


if __name__ == "__main__":
    a, b = torch.rand(64, 10), torch.rand(64)
    descend(a, b)
    replaced(a, b)
    right(a, b)
    net = Mixer()
    other = copy.deepcopy(net)
    soft_update(other, net)
    under_no_grad(other, net)
    attack(net, "cuda")
