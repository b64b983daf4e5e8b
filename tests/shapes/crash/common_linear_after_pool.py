# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x400 and 800x2)
import torch
from torch import nn
import torch.nn.functional as F
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv1d(4, 16, 5, padding=2)
        self.f = nn.Linear(16 * 50, 2)  # fixed: self.f = nn.Linear(16 * 25, 2)
    def forward(self, x):
        x = F.max_pool1d(F.relu(self.c(x)), 2)
        return self.f(x.flatten(1))  # expect: DP601
print(M()(torch.randn(3, 4, 50)).shape)
