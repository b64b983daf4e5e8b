# torch 1.13: RuntimeError: Expected target size [4, 30], got [4, 12]
import torch
import torch.nn as nn

B, T, V = 4, 12, 30
lstm = nn.LSTM(16, 32, batch_first=True)
proj = nn.Linear(32, V)
hidden, _ = lstm(torch.randn(B, T, 16))
scores = proj(hidden)
gold = torch.randint(0, V, (B, T))
loss = nn.CrossEntropyLoss(ignore_index=0)(scores, gold)  # expect: DP605  # fixed: loss = nn.CrossEntropyLoss(ignore_index=0)(scores.transpose(1, 2), gold)
