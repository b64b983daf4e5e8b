import torch
import torch.nn as nn


class Normalize(nn.Module):
    def __init__(self, std, device):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]), persistent=False)  # expect: DP404
        self.register_buffer("std", torch.tensor([0.2, 0.2, 0.2]).view(1, 3, 1, 1), persistent=False)  # expect: DP404
        self.steps = torch.arange(10)  # hint: DP404
        self.unused = torch.zeros(3)
        self.placed = torch.zeros(3, device=device)
        self.moved = torch.zeros(3).cuda()  # hint: DP401
        self.weight = nn.Parameter(torch.zeros(3))
        self.register_buffer("scale", torch.ones(3))
        self.lazy = torch.zeros(3)
        self.number = 3

    def forward(self, x):
        if self.lazy.device != x.device:
            self.lazy = self.lazy.to(x.device)
        x = (x - self.mean.to(x.device)) / self.std.cuda()
        return x * self.scale + self.steps + self.placed + self.moved.to(x.device) + self.weight + self.lazy


class Moves(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(3)

    def _apply(self, fn):
        super()._apply(fn)
        self.mean = fn(self.mean)
        return self

    def forward(self, x):
        return x - self.mean.to(x.device)


class NoModule:
    def __init__(self):
        self.mean = torch.zeros(3)

    def forward(self, x):
        return x - self.mean.to(x.device)


class KeepsACopy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(3)
        self.mean_on_device = None

    def forward(self, x):
        if self.mean_on_device is None:
            self.mean_on_device = self.mean.to(x.device)
        return x - self.mean_on_device


def table(length, size):
    places = torch.arange(length).float().unsqueeze(1)
    return torch.sin(places / size).unsqueeze(0)


def table_on(length, device):
    return torch.arange(length, device=device)


class FromHelper(nn.Module):
    def __init__(self, length, size, device):
        super().__init__()
        self.table = table(length, size)  # hint: DP404
        self.register_buffer("moved", table(length, size), persistent=False)  # expect: DP404
        self.placed = table_on(length, device)
        self.register_buffer("kept", table(length, size))

    def forward(self, x):
        return x + self.table[:, : x.size(1)] + self.moved.to(x.device) + self.placed + self.kept
