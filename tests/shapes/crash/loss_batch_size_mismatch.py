# torch 1.13: ValueError: Expected input batch_size (16) to match target batch_size (4).
import torch
import torch.nn as nn

net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU())
head = nn.Linear(4 * 16, 10)
images = torch.randn(4, 3, 8, 8)
features = net(images).view(-1, 64)  # fixed: features = net(images).mean(3).view(-1, 32)
logits = head(features)  # fixed: logits = nn.Linear(32, 10)(features)
loss = nn.CrossEntropyLoss()(logits, torch.zeros(4, dtype=torch.long))  # expect: DP605
