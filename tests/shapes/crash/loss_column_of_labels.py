# torch 1.13: RuntimeError: 0D or 1D target tensor expected, multi-target not supported
import torch
from torch import nn

model = nn.Linear(10, 3)
criterion = nn.CrossEntropyLoss()
X = torch.randn(20, 10)
y = torch.randint(3, (20, 1))
loss = criterion(model(X), y)  # expect: DP605  # fixed: loss = criterion(model(X), y.squeeze(1))
