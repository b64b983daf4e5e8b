# torch 1.13: RuntimeError: The size of tensor a (20) must match the size of tensor b (8) at non-singleton dimension 0
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x + self.pe[:x.size(1)]  # expect: DP602  # fixed: x = x + self.pe[:x.size(0)]
        return x


pos = PositionalEncoding(32)
y = pos(torch.zeros(20, 8, 32))
