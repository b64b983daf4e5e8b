# torch 1.13: ValueError: Using a target size (torch.Size([32])) that is different to the input size (torch.Size([32, 1])) is deprecated. Please ensure they have the same size.
import torch
from torch import nn
net = nn.Sequential(nn.Linear(6, 1), nn.Sigmoid())
y = torch.randint(0, 2, (32,)).float()
out = net(torch.randn(32, 6))
print(nn.BCELoss()(out, y))  # expect: DP605  # fixed: print(nn.BCELoss()(out.squeeze(1), y))
