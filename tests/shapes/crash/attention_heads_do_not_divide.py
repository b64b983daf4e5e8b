# torch 1.13: AssertionError: embed_dim must be divisible by num_heads
import torch
import torch.nn as nn

embed_dim = 100
attention = nn.MultiheadAttention(embed_dim, num_heads=8)  # expect: DP611  # fixed: attention = nn.MultiheadAttention(embed_dim, num_heads=10)
x = torch.randn(10, 2, embed_dim)
out, weights = attention(x, x, x)
