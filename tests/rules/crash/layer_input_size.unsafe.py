import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 3)
        self.fc1 = nn.Linear(features, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        return self.fc1(torch.flatten(x, 1))  # expect: DP601


images = torch.randn(4, 3, 32, 32)
Net(16 * 6 * 6)(images)
Net(16 * 5 * 5)(images)
nn.BatchNorm2d(6)(torch.randn(2, 6, 4, 4))  # expect: DP601
nn.LSTM(12, 20)(torch.randn(5, 2, 12))  # expect: DP601
nn.LayerNorm(32)(torch.randn(5, 2, 32))


class Block(nn.Module):
    """Wrong for every size."""

    def __init__(self, size):
        super().__init__()
        self.up = nn.Linear(size, 4 * size)
        self.down = nn.Linear(2 * size, size)

    def forward(self, x):
        return x + self.down(self.up(x))  # expect: DP601


class Fine(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.up = nn.Linear(size, hidden)
        self.down = nn.Linear(2 * size, size)

    def forward(self, x):
        return x + self.down(self.up(x))


class Either(nn.Module):
    """Which of the layers there is, nobody knows."""

    def __init__(self, wide):
        super().__init__()
        self.head = nn.Linear(64, 2) if wide else nn.Linear(32, 2)

    def forward(self, x):
        return self.head(x.view(-1, 64))


def guarded(x):
    layer = nn.Linear(8, 2)
    x = torch.randn(4, 6)
    try:
        return layer(x)
    except RuntimeError:
        return None
