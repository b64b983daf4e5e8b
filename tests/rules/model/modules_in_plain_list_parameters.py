import torch
import torch.nn as nn


class Mix(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.w = [nn.Parameter(torch.randn(d)) for _ in range(n)]  # expect: DP237
        self.b = {"a": nn.Parameter(torch.zeros(d)), "b": nn.Parameter(torch.zeros(d))}  # expect: DP237

    def forward(self, xs):
        return sum(w * x for w, x in zip(self.w, xs)) + self.b["a"] + self.b["b"]


class Right(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.w = nn.ParameterList([nn.Parameter(torch.randn(d)) for _ in range(n)])
        self.sizes = [d for _ in range(n)]

    def forward(self, xs):
        return sum(w * x for w, x in zip(self.w, xs)) * len(self.sizes)
