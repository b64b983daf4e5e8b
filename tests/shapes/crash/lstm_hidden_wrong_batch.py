# torch 1.13: RuntimeError: Expected hidden size (1, 20, 16), got [1, 32, 16]
# The hidden state is made for batches of 32, and the last batch of the loader is smaller.
import torch
import torch.nn as nn

rnn = nn.GRU(8, 16)
hidden = torch.zeros(1, 32, 16)  # fixed: hidden = torch.zeros(1, 20, 16)
batch = torch.randn(15, 20, 8)
out, hidden = rnn(batch, hidden)  # expect: DP601
