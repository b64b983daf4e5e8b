# torch 1.13: no error
# wrong without an error: [8, 3, 65, 64] is read as [8, 65, 192]
import torch
import torch.nn.functional as F
from torch import nn


def split(x, heads):
    b, n, d = x.shape
    return x.view(b, n, heads, d // heads).transpose(1, 2)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (split(part, self.heads) for part in self.qkv(x).chunk(3, dim=-1))
        mixed = (q @ k.transpose(-2, -1) / 8).softmax(-1) @ v
        return self.out(mixed.reshape(b, n, c))  # expect: DP268  # fixed: return self.out(mixed.transpose(1, 2).reshape(b, n, c))


print(Attention(192, 3)(torch.randn(8, 65, 192)).shape)
