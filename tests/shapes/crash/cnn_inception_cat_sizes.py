# torch 1.13: RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 12 but got size 10 for tensor number 1 in the list.
import torch
import torch.nn as nn


class Inception(nn.Module):
    def __init__(self, cin):
        super().__init__()
        self.branch1x1 = nn.Conv2d(cin, 16, kernel_size=1)
        self.branch5x5_1 = nn.Conv2d(cin, 16, kernel_size=1)
        self.branch5x5_2 = nn.Conv2d(16, 24, kernel_size=5, padding=1)  # fixed: self.branch5x5_2 = nn.Conv2d(16, 24, kernel_size=5, padding=2)
        self.branch_pool = nn.Conv2d(cin, 24, kernel_size=1)

    def forward(self, x):
        b1 = self.branch1x1(x)
        b5 = self.branch5x5_2(self.branch5x5_1(x))
        bp = self.branch_pool(nn.functional.avg_pool2d(x, kernel_size=3, stride=1, padding=1))
        outputs = [b1, b5, bp]
        return torch.cat(outputs, dim=1)  # expect: DP602


m = Inception(10)
m(torch.randn(2, 10, 12, 12))
