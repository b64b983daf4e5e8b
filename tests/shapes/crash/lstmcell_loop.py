# torch 1.13: RuntimeError: Input batch size 6 doesn't match hidden0 batch size 3
import torch
from torch import nn

steps, batch, features, hidden = 6, 3, 10, 20
cell = nn.LSTMCell(features, hidden)
hx = torch.zeros(batch, hidden)
cx = torch.zeros(batch, hidden)
series = torch.randn(batch, steps, features)
outputs = []
for t in range(steps):
    hx, cx = cell(series[t], (hx, cx))  # expect: DP601 or DP604  # fixed: hx, cx = cell(series[:, t], (hx, cx))
    outputs.append(hx)
