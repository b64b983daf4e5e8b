# torch 1.13: TypeError: unsupported operand type(s) for +: 'Tensor' and 'tuple'
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, 4, batch_first=True)
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        return self.norm(x + self.attn(x, x, x))  # expect: DP610  # fixed: return self.norm(x + self.attn(x, x, x)[0])


Layer(16)(torch.rand(2, 3, 16))
