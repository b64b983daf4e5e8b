# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x256 and 64x10)
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, channels, n):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d((2, 2))
        self.fc = nn.Linear(channels, n)  # fixed: self.fc = nn.Linear(channels * 4, n)

    def forward(self, x):
        return self.fc(self.pool(x).flatten(1))  # expect: DP601


head = Head(64, 10)
head(torch.randn(5, 64, 9, 9))
