# torch 1.13: RuntimeError: result type Float can't be cast to the desired output type Long
import torch
import torch.nn as nn

net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
x = torch.randn(10, 3)
y = torch.randint(0, 2, (10, 1))  # fixed: y = torch.randint(0, 2, (10, 1)).float()
loss = nn.BCEWithLogitsLoss()(net(x), y)  # expect: DP607
loss.backward()
