# torch 1.13: RuntimeError: input.size(-1) must be equal to input_size. Expected 20, got 10
import torch
import torch.nn as nn

lstm = nn.LSTM(input_size=20, hidden_size=32, num_layers=2, batch_first=True)
seq = torch.randn(5, 12, 10)  # fixed: seq = torch.randn(5, 12, 20)
output, (hn, cn) = lstm(seq)  # expect: DP601
