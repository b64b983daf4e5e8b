import copy

import torch.nn as nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.linear = nn.Linear(d, d)

    def forward(self, x):
        return x + self.linear(x)


class Repeated(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.a = nn.Sequential(*[nn.Linear(d, d)] * n)  # expect: DP226
        self.b = nn.ModuleList([Block(d)] * 6)  # expect: DP226
        block = Block(d)
        self.c = nn.ModuleList([block for _ in range(n)])  # expect: DP226
        layer = nn.TransformerEncoderLayer(d, 8)
        self.d = nn.ModuleList([layer] * n)  # expect: DP226
        self.e = nn.Sequential(*(block for _ in range(n)))  # expect: DP226

    def forward(self, x):
        x = self.a(x)
        for b, c, d in zip(self.b, self.c, self.d):
            x = d(c(b(x)))
        return self.e(x)


class Right(nn.Module):
    def __init__(self, d, n, blocks):
        super().__init__()
        self.a = nn.Sequential(*[nn.Linear(d, d) for _ in range(n)])
        self.b = nn.ModuleList([nn.ReLU()] * n)
        block = Block(d)
        self.c = nn.ModuleList([copy.deepcopy(block) for _ in range(n)])
        self.d = nn.ModuleList([block for block in blocks])
        self.e = nn.ModuleList([nn.Linear(d, d)])

    def forward(self, x):
        x = self.a(x)
        for b, c, d, e in zip(self.b, self.c, self.d, self.e):
            x = e(d(c(b(x))))
        return x


class Shared(nn.Module):
    """The weights are shared on purpose."""

    def __init__(self, d, n):
        super().__init__()
        shared = Block(d)
        self.layers = nn.ModuleList([shared] * n)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
