# torch 1.13: ValueError: Target size (torch.Size([10, 1])) must be the same as input size (torch.Size([10, 2]))
import torch
from torch import nn

head = nn.Linear(64, 2)  # fixed: head = nn.Linear(64, 1)
logits = head(torch.randn(10, 64))
y = torch.ones(10, 1)
loss = nn.BCEWithLogitsLoss()(logits, y)  # expect: DP605
