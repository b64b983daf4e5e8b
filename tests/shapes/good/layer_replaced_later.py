import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        return self.head(self.body(x))


net = Net()
net.head = nn.Linear(8, 3)
net(torch.rand(1, 4))
other = Net()
setattr(other, "body", nn.Linear(4, 16))
other(torch.rand(1, 4))
