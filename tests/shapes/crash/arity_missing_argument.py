# torch 1.13: TypeError: CondNet.forward() missing 1 required positional argument: 'cond'
import torch
from torch import nn


class CondNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(12, 3)

    def forward(self, x, cond):
        return self.fc(torch.cat([x, cond], dim=1))


net = CondNet()
y = net(torch.rand(4, 10))  # expect: DP610  # fixed: y = net(torch.rand(4, 10), torch.rand(4, 2))
