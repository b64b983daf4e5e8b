# torch 1.13: RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [8, 16] but got: [8, 10].
import math
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.dk = dim // heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)

    def split(self, x):
        b, t, d = x.shape
        return x.view(b, t, self.heads, self.dk).transpose(1, 2)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        att = torch.matmul(q, k) / math.sqrt(self.dk)  # expect: DP602  # fixed: att = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dk)
        att = att.softmax(dim=-1)
        out = torch.matmul(att, v)
        out = out.transpose(1, 2).contiguous().view(b, t, d)
        return self.o(out)


layer = SelfAttention(64, 4)
x = torch.randn(2, 10, 64)
print(layer(x).size())
