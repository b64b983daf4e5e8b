# torch 1.13: RuntimeError: Given input size: (64x1x1). Calculated output size: (64x0x0). Output size is too small
import torch
import torch.nn as nn


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2))


class VGGLike(nn.Module):
    def __init__(self):
        super().__init__()
        self.b1 = block(1, 8)
        self.b2 = block(8, 16)
        self.b3 = block(16, 32)
        self.b4 = block(32, 64)
        self.b5 = block(64, 64)  # fixed: self.b5 = nn.Identity()
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = self.b4(self.b3(self.b2(self.b1(x))))
        x = self.b5(x)  # expect: DP612
        return self.fc(x.view(x.size(0), -1))


VGGLike()(torch.randn(2, 1, 28, 28))
