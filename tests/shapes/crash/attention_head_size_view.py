# torch 1.13: RuntimeError: shape '[2, 16, 6, 10]' is invalid for input of size 2048
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, d_model=64, n_heads=6):  # fixed: def __init__(self, d_model=64, n_heads=8):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.n_heads, self.head_dim).transpose(1, 2)  # expect: DP603
        k = k.view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        v = v.view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * self.head_dim ** -0.5
        y = att.softmax(dim=-1) @ v
        return y.transpose(1, 2).contiguous().view(B, T, C)


SelfAttention()(torch.randn(2, 16, 64))
