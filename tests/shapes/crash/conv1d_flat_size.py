# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x1312 and 1472x5)
import torch
import torch.nn as nn


class ECGNet(nn.Module):
    def __init__(self, length=187):
        super().__init__()
        self.conv1 = nn.Conv1d(1, 32, kernel_size=5)
        self.pool = nn.MaxPool1d(5, 2)
        self.conv2 = nn.Conv1d(32, 32, kernel_size=5)
        self.fc = nn.Linear(32 * (length // 4), 5)  # fixed: self.fc = nn.Linear(32 * 41, 5)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        return self.fc(x.flatten(1))  # expect: DP601


ECGNet()(torch.randn(2, 1, 187))
