# torch 1.13: RuntimeError: shape '[-1, 1, 128]' is invalid for input of size 700
import torch
import torch.nn as nn


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 5)
        self.pool = nn.MaxPool1d(2)
        self.fc = nn.Linear(8 * 48, 3)

    def forward(self, x):
        x = x.view(-1, 1, 128)  # expect: DP603  # fixed: x = x.view(-1, 1, 100)
        x = self.pool(torch.relu(self.conv(x)))
        return self.fc(x.flatten(1))


net = CNN()
signal = torch.randn(7, 100)
out = net(signal)
