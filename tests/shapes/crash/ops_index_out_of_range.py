# torch 1.13: IndexError: index 1 is out of bounds for dimension 0 with size 1
import torch
from torch import nn

rnn = nn.GRU(4, 8, batch_first=True)
out, h = rnn(torch.randn(2, 5, 4))
backward_state = h[1]  # expect: DP604  # fixed: backward_state = h[0]
