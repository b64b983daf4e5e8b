import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Agent:
    def __init__(self, obs, actions):
        self.online = nn.Linear(obs, actions)
        self.target = self.online  # expect: DP921

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())


class Averaged:
    def __init__(self, net: nn.Module):
        self.net = net
        self.ema = net  # expect: DP921

    @torch.no_grad()
    def update(self):
        for e, p in zip(self.ema.parameters(), self.net.parameters()):
            e.lerp_(p, 0.001)


def moving_average(net: nn.Module, loader, optimizer: torch.optim.Optimizer):
    ema = net  # expect: DP921
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        optimizer.step()
        ema.load_state_dict(net.state_dict())


def best_of(net: nn.Module, loader, optimizer: torch.optim.Optimizer, evaluate):
    best, winner = float("inf"), None
    for epoch in range(30):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
        loss = evaluate(net)
        if loss < best:
            best = loss
            winner = net  # expect: DP921
    return winner


class Trainer:
    def __init__(self, net: nn.Module, loader):
        self.net, self.loader = net, loader
        self.best, self.best_net = float("inf"), None
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def fit(self, evaluate):
        for epoch in range(30):
            for x, y in self.loader:
                self.optimizer.zero_grad()
                F.mse_loss(self.net(x), y).backward()
                self.optimizer.step()
            loss = evaluate(self.net)
            if loss < self.best:
                self.best = loss
                self.best_net = self.net  # expect: DP921
        torch.save(self.best_net.state_dict(), "best.pt")


# ---- Copies, and other names that nothing updates


class Copied:
    def __init__(self, obs, actions):
        self.online = nn.Linear(obs, actions)
        self.target = copy.deepcopy(self.online)

    def sync(self):
        self.target.load_state_dict(self.online.state_dict())


def alias(net: nn.Module, x):
    backbone = net
    return backbone(x)


def best_copy(net: nn.Module, loader, optimizer: torch.optim.Optimizer, evaluate):
    best, winner = float("inf"), None
    for epoch in range(30):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
        loss = evaluate(net)
        if loss < best:
            best = loss
            winner = copy.deepcopy(net)
    return winner


def stops(net: nn.Module, loader, optimizer: torch.optim.Optimizer, evaluate):
    winner = None
    for epoch in range(30):
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            optimizer.step()
        if evaluate(net) < 0.1:
            winner = net
            break
    return winner


# The same name in another method is another model.
class Restoring:
    def __init__(self, model: nn.Module, path):
        self.model = model
        self.path = path

    def restore(self):
        model = nn.Linear(3, 3)
        model.load_state_dict(torch.load(self.path, weights_only=True))
        self.model.load_state_dict(model.state_dict())
