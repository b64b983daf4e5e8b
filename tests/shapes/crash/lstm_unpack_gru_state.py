# torch 1.13: ValueError: not enough values to unpack (expected 2, got 1)
import torch
import torch.nn as nn

gru = nn.GRU(6, 12, batch_first=True)
x = torch.randn(2, 4, 6)
out, (h, c) = gru(x)  # expect: DP610  # fixed: out, h = gru(x)
