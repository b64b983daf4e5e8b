import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, head_dim, base=10000.0):
        super().__init__()
        self.half = head_dim // 2
        self.base = base

    def table(self, length):
        rate = self.base ** (-torch.arange(self.half) / self.half)
        angle = torch.outer(torch.arange(length).float(), rate)
        return angle.cos(), angle.sin()


class InGenerator(Rotary):
    def forward(self, q):
        cos, sin = (t.to(q.device, q.dtype) for t in self.table(q.size(-2)))  # expect: DP401
        return q * cos + q * sin


class Unpacked(Rotary):
    def forward(self, q):
        cos, sin = self.table(q.size(-2))
        cos = cos.to(q.device)  # expect: DP401
        return q * cos + q * sin.to(q.device)  # expect: DP401


class Kept(Rotary):
    def __init__(self, head_dim, length):
        super().__init__(head_dim)
        cos, sin = self.table(length)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def forward(self, q):
        n = q.size(-2)
        return q * self.cos[:n].to(q.dtype) + q * self.sin[:n].to(q.dtype)


class OfData(nn.Module):
    def __init__(self, tables):
        super().__init__()
        self.tables = tables

    def read(self, length):
        table = torch.tensor(self.tables[length])
        return table.cos(), table.sin()

    def forward(self, q):
        cos, sin = (t.to(q.device) for t in self.read(q.size(-2)))
        return q * cos + q * sin
