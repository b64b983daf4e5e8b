# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x64 and 32x10)
import torch
from torch import nn


class Base(nn.Module):
    width = 32

    def __init__(self, num_classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, self.width, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.head = nn.Linear(32, num_classes)  # fixed: self.head = nn.Linear(self.width, num_classes)

    def features(self, x):
        return self.stem(x).flatten(1)

    def forward(self, x):
        return self.head(self.features(x))  # expect: DP601


class Wide(Base):
    width = 64


Base(10)(torch.randn(1, 3, 32, 32))
Wide(10)(torch.randn(1, 3, 32, 32))
