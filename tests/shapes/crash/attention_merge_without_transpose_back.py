# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x80 and 32x32)
import torch
from torch import nn


class MHA(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        h = x.reshape(b, n, self.heads, d // self.heads).permute(0, 2, 1, 3)
        attn = torch.softmax(h @ h.transpose(-1, -2), dim=-1)
        out = attn @ h
        out = out.reshape(b, self.heads, n * (d // self.heads))  # fixed: out = out.transpose(1, 2).reshape(b, n, d)
        return self.proj(out)  # expect: DP601


MHA(32, 4)(torch.rand(2, 10, 32))
