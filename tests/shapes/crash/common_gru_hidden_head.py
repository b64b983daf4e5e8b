# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x48 and 24x3)
import torch
from torch import nn
class Cls(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(12, 24, num_layers=2, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(24, 3)  # fixed: self.fc = nn.Linear(48, 3)
    def forward(self, x):
        out, h = self.gru(x)
        return self.fc(out[:, -1])  # expect: DP601
print(Cls()(torch.randn(5, 9, 12)).shape)
