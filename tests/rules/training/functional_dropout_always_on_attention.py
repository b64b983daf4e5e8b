import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d, p=0.1):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.p = p
        self.drop = nn.Dropout(p)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        a = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p)  # expect: DP863
        b = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1, is_causal=True)  # expect: DP863
        c = F.scaled_dot_product_attention(q, k, v, dropout_p=self.drop.p)  # expect: DP863
        return a + b + c


class Right(nn.Module):
    def __init__(self, d, p=0.1):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.p = p

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        a = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p if self.training else 0.0)
        p = self.p if self.training else 0.0
        return a + F.scaled_dot_product_attention(q, k, v, dropout_p=p) + F.scaled_dot_product_attention(q, k, v)
