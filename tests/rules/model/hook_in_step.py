import torch
import torch.nn as nn
import torch.nn.functional as F


def training(model: nn.Module, loader, optimizer: torch.optim.Optimizer, store):
    for x, y in loader:
        model.register_forward_hook(store)  # expect: DP266
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()


@torch.no_grad()
def features(net: nn.Linear, loader, store):
    for x, y in loader:
        net.register_forward_pre_hook(store)  # expect: DP266
        net(x)


class Watched(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def keep(self, module, inputs, output):
        self.last = output.detach()

    def forward(self, x):
        self.layer.register_forward_hook(self.keep)  # expect: DP266
        return self.layer(x)


class Once(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.layer.register_forward_hook(self.keep)

    def keep(self, module, inputs, output):
        self.last = output.detach()

    def forward(self, x):
        return self.layer(x)


@torch.no_grad()
def removed(net: nn.Linear, loader, store):
    for x, y in loader:
        handle = net.register_forward_hook(store)
        net(x)
        handle.remove()


def of_tensor(model: nn.Module, loader, optimizer: torch.optim.Optimizer, clip):
    for x, y in loader:
        optimizer.zero_grad()
        out = model(x)
        out.register_hook(clip)
        F.mse_loss(out, y).backward()
        optimizer.step()


class Stages(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return x


def grab(net, x):
    found = []
    for stage in net.stages:
        stage.register_forward_hook(lambda module, inputs, output: found.append(output))  # expect: DP266
    return net(x), found


def noisy(module):
    module.register_forward_pre_hook(print)
    return module


def by_helper(loader, optimizer: torch.optim.Optimizer):
    net = Stages()
    for x, y in loader:
        optimizer.zero_grad()
        out, found = grab(net, x)
        extra = noisy(nn.Linear(8, 8))
        F.mse_loss(extra(out), y).backward()
        optimizer.step()
