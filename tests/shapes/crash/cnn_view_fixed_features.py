# torch 1.13: RuntimeError: shape '[-1, 800]' is invalid for input of size 3750
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 20, 5, 1)
        self.conv2 = nn.Conv2d(20, 50, 5, 1)
        self.fc1 = nn.Linear(4 * 4 * 50, 500)
        self.fc2 = nn.Linear(500, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(x, 2, 2)
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2, 2)
        x = x.view(-1, 4 * 4 * 50)  # expect: DP603
        x = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(x), dim=1)


net = Net()
data = torch.randn(3, 1, 32, 32)  # fixed: data = torch.randn(3, 1, 28, 28)
net(data)
