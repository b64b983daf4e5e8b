# torch 1.13: IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)
import torch
from torch import nn

model = nn.Linear(6, 3)
pred = torch.argmax(model(torch.rand(6)), dim=1)  # expect: DP604  # fixed: pred = torch.argmax(model(torch.rand(6)), dim=-1)
