# torch 1.13: RuntimeError: shape '[12, 8, 8]' is invalid for input of size 1152
import torch
from torch import nn
attn = nn.MultiheadAttention(32, 4)
q = torch.randn(10, 2, 32)
kv = torch.randn(12, 3, 32)  # fixed: kv = torch.randn(12, 2, 32)
out, w = attn(q, kv, kv)  # expect: DP602
print(out.shape)
