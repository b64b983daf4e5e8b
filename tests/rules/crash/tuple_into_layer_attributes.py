import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Decoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up1 = nn.Linear(size, size)
        self.up1 = nn.Linear(size, size)
        self.norm = nn.LayerNorm(size)

    def forward(self, x):
        x = self.up1(x)
        return self.norm(self.up2(x))  # expect: DP610


class Renamed(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.head = nn.Linear(size, 2)  # expect: DP239

    def forward(self, x):
        return self.hed(x)  # expect: DP610


class ByOtherMeans(nn.Module):
    def __init__(self, count):
        super().__init__()
        for i in range(count):
            setattr(self, f"layer{i}", nn.Linear(4, 4))

    def forward(self, x):
        return self.layer5(x)


class Later(nn.Module):
    def build(self, size):
        self.layer = nn.Linear(size, size)

    def forward(self, x):
        return self.layer(x)


class Mixed(nn.Module):
    def forward(self, x):
        if hasattr(self, "scale"):
            return x * self.scale
        return x


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Renamed(4)

    def forward(self, x):
        return self.inner.weight_of_head * x, self.training


class FromOutside(nn.Module):
    def forward(self, x):
        return self.table[x]


outside = FromOutside()
outside.table = torch.randn(4, 4)


class Silent(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))
        self.shift = nn.Parameter(torch.zeros(size))
        self.register_buffer("mean", torch.zeros(size))

    def forward(self, x):
        x = x * self.scale + self.mean
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        self.scale = self.scale * 2  # expect: DP610
        self.shift += 1
        self.shift = nn.Parameter(self.shift.abs())
        return x


class Returns(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        x = self.layer(x)
        if self.kind == "dict":
            return {"logits": x}
        if self.kind == "tensor":
            return x


def of_nothing(labels):
    return F.cross_entropy(Returns("none")(torch.randn(4, 8)), labels)  # expect: DP610


def of_a_dictionary(labels):
    return F.cross_entropy(Returns("dict")(torch.randn(4, 8)), labels)  # expect: DP610


def of_a_tensor(labels):
    return F.cross_entropy(Returns("tensor")(torch.randn(4, 8)), labels)


def of_numbers():
    return nn.Linear(3, 2)([1.0, 2.0, 3.0])  # expect: DP610


def of_an_array():
    return nn.Linear(3, 2)(np.zeros((2, 3), dtype=np.float32))  # expect: DP610


def without_a_size():
    return Decoder()  # expect: DP610


def with_too_many():
    return Decoder(4, 5, 6)  # expect: DP610


def unknown(model, x, sizes):
    return F.cross_entropy(model(x), x), nn.Identity()(None), Decoder(*sizes), nn.Linear(3, 2)(x)


Silent(4)(torch.randn(3, 4))
Decoder(4)(torch.randn(3, 4))
